// Most of the input is about one repository. One event in twenty-five of it keeps that key, which
// makes one hot key; the rest gets a drawn suffix, which makes about two hundred ordinary ones.
#include "demo/workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "input/ndjson_line.hpp"
#include "penstock/error.hpp"

namespace penstock::cli::demo {
namespace {

constexpr std::uint64_t kKeys = 200;
constexpr std::uint64_t kHotShare = 25;
// Early enough that its three attempts, each followed by an expired lease, end while others run.
constexpr std::uint64_t kPoisonPosition = 10;

std::string most_frequent_key(const std::vector<Event>& events) {
  std::map<std::string, int, std::less<>> counts;
  for (const Event& event : events) {
    if (event.key) ++counts[*event.key];
  }
  const auto most = std::ranges::max_element(counts, {}, [](const auto& c) { return c.second; });
  return most == counts.end() ? std::string{} : most->first;
}

}  // namespace

std::vector<AuditedHandler> handlers() {
  return {{"audit", {"*"}},
          {"notify", {"issues.*"}},
          {std::string{kFlakyHandler}, {"issues.opened", "push", "release.*", "star.*"}},
          {std::string{kPoisonHandler}, {std::string{kPoisonType}}}};
}

Workload::Workload(std::string_view ndjson, std::uint64_t seed) : random_(seed) {
  std::size_t line_number = 0;
  while (!ndjson.empty()) {
    const std::string_view line = ndjson.substr(0, ndjson.find('\n'));
    ndjson.remove_prefix(std::min(line.size() + 1, ndjson.size()));
    ++line_number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    try {
      templates_.push_back(parse_ndjson_line(line));
    } catch (const Error& error) {
      throw Error(ErrorKind::usage, fmt::format("input, line {}: {}", line_number, error.what()),
                  {.field = error.field()});
    }
    const Event& event = templates_.back();
    if ((event.type + event.key.value_or("")).find_first_of("\t\n") != std::string::npos) {
      throw Error(ErrorKind::usage,
                  fmt::format("input, line {}: expected a type and a key without tabs and "
                              "newlines, which the demo's journals cannot hold",
                              line_number),
                  {.field = "input"});
    }
  }
  if (templates_.empty()) {
    throw Error(ErrorKind::usage, "input: expected at least one event, found none",
                {.field = "input"});
  }
  hot_key_ = most_frequent_key(templates_);
  std::ranges::shuffle(templates_, random_);
}

std::vector<Event> Workload::next(std::size_t count) {
  std::vector<Event> events;
  events.reserve(count);
  while (events.size() < count) events.push_back(next_event());
  return events;
}

Event Workload::next_event() {
  const std::uint64_t position = made_++;
  if (position == kPoisonPosition) {
    return Event{.type = std::string{kPoisonType},
                 .payload = R"({"what":"the handler of this event kills its own process"})",
                 .id = EventId::generate()};
  }
  Event event = templates_[position % templates_.size()];
  event.id = EventId::generate();
  if (event.key && *event.key == hot_key_ && random_() % kHotShare != 0) {
    *event.key += fmt::format("#{}", random_() % kKeys);
  }
  return event;
}

}  // namespace penstock::cli::demo
