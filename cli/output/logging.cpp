// The only file that includes the logging library.
#include "output/logging.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <memory>
#include <string>

#include "output/json.hpp"
#include "output/text.hpp"

namespace penstock::cli {
namespace {

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug: return spdlog::level::debug;
    case LogLevel::info: return spdlog::level::info;
    case LogLevel::warning: return spdlog::level::warn;
    case LogLevel::error: break;
  }
  return spdlog::level::err;
}

std::string_view name_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug: return "debug";
    case LogLevel::info: return "info";
    case LogLevel::warning: return "warning";
    case LogLevel::error: break;
  }
  return "error";
}

std::string json_line(LogLevel level, std::string_view event, std::span<const LogField> fields) {
  Json members = Json::object();
  for (const LogField& field : fields) members.set(field.name, field.value);
  const auto now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
  Json line = Json::object();
  line.set("time", iso_time(now)).set("level", name_of(level)).set("event", event);
  return line.set("fields", members).text();
}

std::string text_line(std::string_view event, std::span<const LogField> fields) {
  std::string line = printable(event);
  for (const LogField& field : fields) {
    line += ' ' + printable(field.name) + '=' + printable(field.value);
  }
  return line;
}

}  // namespace

Log make_log(LogLevel level, LogFormat format) {
  auto logger = std::make_shared<spdlog::logger>(
      "penstock", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  logger->set_level(level_of(level));
  logger->set_pattern(format == LogFormat::json ? "%v" : "%Y-%m-%dT%H:%M:%S.%e %^%l%$ %v");
  return [logger, format](LogLevel line_level, std::string_view event,
                          std::span<const LogField> fields) {
    if (!logger->should_log(level_of(line_level))) return;
    logger->log(level_of(line_level), "{}",
                format == LogFormat::json ? json_line(line_level, event, fields)
                                          : text_line(event, fields));
  };
}

}  // namespace penstock::cli
