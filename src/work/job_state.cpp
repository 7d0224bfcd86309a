// States of jobs by name.
#include <algorithm>
#include <array>
#include <utility>

#include "penstock/job.hpp"

namespace penstock {
namespace {

constexpr std::array<std::pair<JobState, std::string_view>, 7> kNames{{
    {JobState::scheduled, "scheduled"},
    {JobState::ready, "ready"},
    {JobState::running, "running"},
    {JobState::retrying, "retrying"},
    {JobState::completed, "completed"},
    {JobState::dead, "dead"},
    {JobState::cancelled, "cancelled"},
}};

}  // namespace

std::string_view to_string(JobState state) noexcept {
  return kNames[static_cast<std::size_t>(state)].second;
}

std::optional<JobState> parse_job_state(std::string_view text) noexcept {
  const auto* const found =
      std::ranges::find(kNames, text, &std::pair<JobState, std::string_view>::second);
  if (found == kNames.end()) return std::nullopt;
  return found->first;
}

}  // namespace penstock
