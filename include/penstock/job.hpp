// The job: a piece of work that is enqueued once and run by one worker until it is done.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/clock.hpp"
#include "penstock/event.hpp"
#include "penstock/ids.hpp"

namespace penstock {

inline constexpr int kFirstPriority = 1;
inline constexpr int kLastPriority = 4;
inline constexpr int kMaxShards = 64;

/// Where a job stands. `completed` and `cancelled` jobs are listed only where history is kept.
enum class JobState { scheduled, ready, running, retrying, completed, dead, cancelled };

[[nodiscard]] std::string_view to_string(JobState state) noexcept;
[[nodiscard]] std::optional<JobState> parse_job_state(std::string_view text) noexcept;

/// A set of states.
class JobStates {
 public:
  constexpr JobStates() noexcept = default;
  constexpr JobStates(std::initializer_list<JobState> states) noexcept {
    for (const JobState state : states) bits_ |= bit(state);
  }
  [[nodiscard]] static constexpr JobStates from_bits(std::uint8_t bits) noexcept {
    JobStates states;
    states.bits_ = bits;
    return states;
  }
  [[nodiscard]] constexpr bool contains(JobState state) const noexcept {
    return (bits_ & bit(state)) != 0;
  }
  /// scheduled 1, ready 2, running 4, retrying 8, completed 16, dead 32, cancelled 64: as stored.
  [[nodiscard]] constexpr std::uint8_t bits() const noexcept { return bits_; }
  friend constexpr bool operator==(const JobStates&, const JobStates&) noexcept = default;

 private:
  static constexpr std::uint8_t bit(JobState state) noexcept {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(state));
  }
  std::uint8_t bits_ = 0;
};

/// The states in which a job holds its unique key unless it says otherwise: until it has ended.
inline constexpr JobStates kWhileAlive{JobState::scheduled, JobState::ready, JobState::running,
                                       JobState::retrying};

/// What to enqueue. Texts are valid UTF-8 without NUL. Limits: limits.hpp.
struct NewJob {
  /// Required. It exists from its first job on.
  std::string queue{};
  /// What to do, in the words of whoever does it: `receipt`. Required.
  std::string kind{};
  /// Bytes, stored and handed over unchanged. May be empty.
  std::string payload{};
  int priority = 2;  ///< 1 (first) to 4.
  /// Ordering key: jobs of one key share a shard and are claimed in commit order; their attempts
  /// may overlap. Absent means no order; an empty one is refused.
  std::optional<std::string> key{};
  /// Not before; absent or past: now, by the clock of the store.
  std::optional<Timestamp> run_at{};
  /// Charged attempts before the dead letters; 1 to 1,000.
  int max_attempts = 25;
  /// While a job holds this key, enqueuing another with it gives the id of the first. One key
  /// serves all queues of a store. An empty one is refused.
  std::optional<std::string> unique_key{};
  /// In which states the job holds its key. scheduled, ready and retrying must be among them.
  JobStates unique_states = kWhileAlive;
  /// The longest that one attempt may run; 0: as long as it likes; absent: as the worker says.
  std::optional<Duration> deadline{};
  std::string content_type = "application/json";
  Headers headers{};
};

/// How an attempt at a job failed.
struct AttemptError {
  int attempt = 0;  ///< 1 for the first.
  Timestamp at{};
  std::string error{};
  friend bool operator==(const AttemptError&, const AttemptError&) = default;
};

/// A job as a store keeps it.
struct StoredJob {
  JobId id{};
  NewJob job{};  ///< `run_at` is set: when it became, or becomes, due.
  Timestamp created_at{};
  int attempts = 0;  ///< Charged so far.
  /// What an attempt saved for the next, as JSON; empty: nothing.
  std::string progress{};
  std::vector<AttemptError> errors{};  ///< The last 20, oldest first.
};

}  // namespace penstock
