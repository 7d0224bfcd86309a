// One line as a job.
#include "input/job_line.hpp"

#include <chrono>
#include <cstdio>

#include "input/json_members.hpp"
#include "output/text.hpp"

namespace penstock::cli {

Timestamp parse_time(const std::string& field, const std::string& text) {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int read = 0;
  const int found = std::sscanf(text.c_str(), "%4d-%2u-%2uT%2d:%2d:%2d%n", &year, &month, &day,
                                &hour, &minute, &second, &read);
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{month},
                                         std::chrono::day{day}};
  std::string rest = found == 6 ? text.substr(static_cast<std::size_t>(read)) : std::string{};
  std::int64_t micros = 0;
  if (rest.starts_with('.')) {
    std::size_t digits = 0;
    for (std::int64_t unit = 100'000;
         digits + 1 < rest.size() &&
         std::isdigit(static_cast<unsigned char>(rest[digits + 1])) != 0;
         ++digits, unit /= 10) {
      micros += (rest[digits + 1] - '0') * unit;
    }
    rest.erase(0, digits + 1);
  }
  const bool is_valid = rest == "Z" && date.ok() && hour >= 0 && hour < 24 && minute >= 0 &&
                        minute < 60 && second >= 0 && second < 60;
  if (!is_valid) {
    refuse_member(field, "expected a time such as 2026-12-01T12:00:00Z, found \"" + text + "\"");
  }
  return std::chrono::sys_days{date} + std::chrono::hours{hour} + std::chrono::minutes{minute} +
         std::chrono::seconds{second} + Duration{micros};
}

Duration parse_span(const std::string& field, const std::string& text) {
  const auto span = parse_duration(text);
  if (!span) {
    refuse_member(field,
                  "expected a duration such as 500ms, 30s, 5m, 2h or 7d, found \"" + text + "\"");
  }
  return *span;
}

JobStates parse_states(const std::vector<std::string>& names) {
  std::uint8_t bits = 0;
  for (const std::string& name : names) {
    const auto state = parse_job_state(name);
    if (!state) {
      refuse_member("unique_states",
                    "expected some of scheduled, ready, running, retrying, completed, dead, "
                    "cancelled, found \"" +
                        name + "\"");
    }
    bits = static_cast<std::uint8_t>(bits | JobStates{*state}.bits());
  }
  return JobStates::from_bits(bits);
}

void set_due(NewJob& job, const std::string& run_at, const std::string& delay) {
  if (!run_at.empty() && !delay.empty()) refuse_member("run_at", "give run_at or delay, not both");
  if (!run_at.empty()) job.run_at = parse_time("run_at", run_at);
  if (!delay.empty()) job.run_at = SystemClock{}.now() + parse_span("delay", delay);
}

NewJob parse_job_line(std::string_view line) {
  NewJob job;
  std::string run_at;
  std::string delay;
  bool has_payload = false;
  for (const auto& [name, text] : json_members(line)) {
    if (name == "payload" || name == "payload_base64") {
      if (has_payload) refuse_member("payload", "expected payload or payload_base64, found both");
      has_payload = true;
      job.payload = payload_member(name, text);
    } else if (name == "queue") {
      job.queue = text_member(name, text);
    } else if (name == "kind") {
      job.kind = text_member(name, text);
    } else if (name == "priority") {
      job.priority = static_cast<int>(integer_member(name, text));
    } else if (name == "key") {
      if (std::string key = text_member(name, text); !key.empty()) job.key = std::move(key);
    } else if (name == "unique_key") {
      if (std::string key = text_member(name, text); !key.empty()) job.unique_key = std::move(key);
    } else if (name == "unique_states") {
      job.unique_states = parse_states(texts_member(name, text));
    } else if (name == "run_at") {
      run_at = text_member(name, text);
    } else if (name == "delay") {
      delay = text_member(name, text);
    } else if (name == "max_attempts") {
      job.max_attempts = static_cast<int>(integer_member(name, text));
    } else if (name == "deadline") {
      job.deadline = parse_span(name, text_member(name, text));
    } else if (name == "content_type") {
      job.content_type = text_member(name, text);
    } else if (name == "headers") {
      job.headers = headers_member(text);
    } else {
      refuse_member(
          name,
          "expected queue, kind, payload or payload_base64, priority, key, run_at, delay, "
          "max_attempts, unique_key, unique_states, deadline, headers or content_type, "
          "found \"" +
              name + "\"");
    }
  }
  if (job.queue.empty()) refuse_member("queue", "expected 1 to 200 bytes, found none");
  if (job.kind.empty()) refuse_member("kind", "expected 1 to 200 bytes, found none");
  if (!has_payload) refuse_member("payload", "expected payload or payload_base64, found neither");
  set_due(job, run_at, delay);
  return job;
}

}  // namespace penstock::cli
