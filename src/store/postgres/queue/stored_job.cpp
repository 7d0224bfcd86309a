// What a job brings along from earlier attempts.
#include "store/postgres/queue/stored_job.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

#include "penstock/error.hpp"

namespace penstock::postgres::detail {
namespace {

// As PostgreSQL writes a timestamptz into json: 2026-12-01T12:00:00.123456+00:00.
Timestamp time_of(const std::string& text) {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  int hour = 0;
  int minute = 0;
  double second = 0;
  int read = 0;
  if (std::sscanf(text.c_str(), "%d-%u-%uT%d:%d:%lf%n", &year, &month, &day, &hour, &minute,
                  &second, &read) != 6) {
    throw Error(ErrorKind::internal, "an error of a job has no time");
  }
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{month},
                                         std::chrono::day{day}};
  Timestamp at = std::chrono::sys_days{date} + std::chrono::hours{hour} +
                 std::chrono::minutes{minute} +
                 Duration{static_cast<Duration::rep>(second * 1e6 + 0.5)};
  char sign = '+';
  int zone_hours = 0;
  int zone_minutes = 0;
  const int zone = std::sscanf(text.c_str() + read, "%c%2d:%2d", &sign, &zone_hours, &zone_minutes);
  if (zone >= 2) {
    const Duration offset = std::chrono::hours{zone_hours} + std::chrono::minutes{zone_minutes};
    at += sign == '-' ? offset : -offset;
  }
  return at;
}

}  // namespace

void read_state(std::string_view json, StoredJob& job) {
  if (json.empty() || json == "{}") return;
  try {
    const nlohmann::json state = nlohmann::json::parse(json);
    if (const auto progress = state.find("progress"); progress != state.end()) {
      job.progress = progress->dump();
    }
    if (const auto errors = state.find("errors"); errors != state.end()) {
      for (const auto& error : *errors) {
        job.errors.push_back({.attempt = error.at("attempt").get<int>(),
                              .at = time_of(error.at("at").get<std::string>()),
                              .error = error.at("error").get<std::string>()});
      }
    }
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorKind::internal, "the stored state of a job cannot be read");
  }
}

}  // namespace penstock::postgres::detail
