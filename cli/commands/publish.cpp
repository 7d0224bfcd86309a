// `penstock publish`: one event from options, or many from NDJSON.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands/commands.hpp"
#include "input/header_pairs.hpp"
#include "input/ndjson_line.hpp"
#include "input/ndjson_publisher.hpp"
#include "input/spool.hpp"
#include "output/progress.hpp"
#include "output/say.hpp"
#include "output/text.hpp"
#include "penstock/bus.hpp"

namespace penstock::cli {
namespace {

[[noreturn]] void refuse(const std::string& field, const std::string& message) {
  throw Error(ErrorKind::usage, field + ": " + message, {.field = field});
}

Event event_of(const PublishOptions& options, std::size_t max_payload) {
  Event event{.type = options.type, .headers = headers_of_pairs(options.headers)};
  if (!options.key.empty()) event.key = options.key;
  if (!options.content_type.empty()) event.content_type = options.content_type;
  if (!options.id.empty()) set_id(event, options.id);
  if (options.payload && !options.payload_file.empty()) {
    refuse("payload", "give --payload or --payload-file, not both");
  }
  if (options.payload) event.payload = *options.payload;
  if (!options.payload_file.empty()) {
    event.payload = read_whole(options.payload_file, "payload", max_payload);
  }
  // Drawn here, so that repeating a publish in doubt is harmless.
  if (!event.id) event.id = EventId::generate();
  return event;
}

Published publish_surely(Bus& bus, const Event& event) {
  constexpr int kTries = 5;
  for (int attempt = 1;; ++attempt) {
    try {
      return bus.publish(event);
    } catch (const Error& error) {
      const bool repeatable =
          error.kind() == ErrorKind::in_doubt || error.kind() == ErrorKind::conflict;
      if (!repeatable || attempt == kTries) throw;
    }
  }
}

void warn_of_nobody(const Settings& settings, const EventId& id) {
  warn(
      fmt::format("event {0}: nobody is subscribed to it, so nobody will get it: penstock handlers "
                  "add NAME --types PATTERN, then publish it again with --id {0}",
                  id.to_string()),
      settings.format);
}

ExitCode publish_one(const Settings& settings, const PublishOptions& options) {
  if (options.type.empty()) {
    refuse("type", "expected --type TYPE, or --ndjson FILE for many events; found neither");
  }
  const auto store = open(settings);
  const Event event = event_of(options, store->bus().capabilities().max_payload);
  Bus bus{*store};
  const Published published = publish_surely(bus, event);
  const bool created = published.status == PublishStatus::created;
  if (created && published.handlers.empty()) warn_of_nobody(settings, published.id);
  if (settings.json()) {
    Json handlers = Json::array();
    for (const std::string& handler : published.handlers) handlers.push(handler);
    print(Json::object()
              .set("id", published.id.to_string())
              .set("status", created ? "created" : "duplicate")
              .set("handlers", handlers));
    return ExitCode::done;
  }
  print_text(fmt::format(
      "{} {}: {}\n", published.id.to_string(), created ? "published" : "was published before",
      published.handlers.empty()
          ? (created ? "no handler is subscribed to this type" : "nothing to add")
          : fmt::format("for {}", fmt::join(published.handlers, ", "))));
  return ExitCode::done;
}

ExitCode publish_many(const Settings& settings, const PublishOptions& options) {
  const bool has_single = !options.type.empty() || !options.key.empty() || !options.id.empty() ||
                          options.payload || !options.payload_file.empty() ||
                          !options.headers.empty() || !options.content_type.empty();
  if (has_single) {
    refuse("ndjson",
           "the lines say type, key, payload and so on; the options of one event do not "
           "go with --ndjson");
  }
  const auto store = open(settings);
  store->bus().setup(SetupMode::migrate);
  Progress progress{"publishing",
                    settings.json() ? Progress::Mode::off : Progress::Mode::on_terminal};
  const NdjsonReport result =
      publish_ndjson(store->bus(), options.ndjson, options.on_bad_line, progress);
  progress.finish();
  if (result.without_handler > 0) {
    warn(fmt::format("{} of the new events: nobody is subscribed to them, so nobody will get them: "
                     "penstock handlers add NAME --types PATTERN, then publish them again with "
                     "the same ids",
                     result.without_handler),
         settings.format);
  }

  if (settings.json()) {
    Json skipped = Json::array();
    for (const BadLine& bad : result.skipped) {
      skipped.push(Json::object().set("line", bad.line).set("message", bad.message));
    }
    print(Json::object()
              .set("published", result.published)
              .set("duplicates", result.duplicates)
              .set("deliveries", result.deliveries)
              .set("without_handler", result.without_handler)
              .set("skipped", skipped));
    return ExitCode::done;
  }
  for (const BadLine& bad : result.skipped) {
    say(fmt::format("penstock: skipped line {}: {}\n", bad.line, printable(bad.message)));
  }
  print_text(fmt::format(
      "{} published, {} there before, {}, {} skipped.\n",
      counted(result.published, "event", "events"), counted(result.duplicates, "was", "were"),
      counted(result.deliveries, "delivery", "deliveries"),
      counted(static_cast<std::int64_t>(result.skipped.size()), "line", "lines")));
  return ExitCode::done;
}

}  // namespace

ExitCode run_publish(const Settings& settings, const PublishOptions& options) {
  if (options.ndjson.empty() && options.on_bad_line == OnBadLine::skip) {
    refuse("skip-bad", "expected together with --ndjson FILE, found alone");
  }
  return options.ndjson.empty() ? publish_one(settings, options) : publish_many(settings, options);
}

}  // namespace penstock::cli
