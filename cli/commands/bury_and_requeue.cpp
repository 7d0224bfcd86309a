// Which deliveries `requeue` and `bury` are about, and those two commands.
#include <fmt/format.h>

#include "commands/commands.hpp"
#include "commands/known_handlers.hpp"
#include "input/reference.hpp"
#include "output/text.hpp"

namespace penstock::cli {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::usage, message, {.field = "selection"});
}

ExitCode answer(const Settings& settings, BusStore& store, std::string_view verb,
                std::string_view can_be, const SelectionOptions& selection, std::int64_t count) {
  if (count == 0 && !selection.handler.empty()) {
    if (const auto unknown = unknown_handler(store, selection.handler)) {
      return report_not_found(*unknown, settings.format);
    }
  }
  if (count == 0 && !selection.id.empty()) {
    return report_not_found(
        fmt::format("{}: no such delivery that {}; `penstock show {}` says more", selection.id,
                    can_be, selection.id),
        settings.format);
  }
  if (settings.json()) {
    print(Json::object().set(verb, count));
  } else {
    print_text(fmt::format("{} {}.\n", counted(count, "delivery", "deliveries"), verb));
  }
  return ExitCode::done;
}

}  // namespace

Selection selection_of(const SelectionOptions& options) {
  Selection selection{.all = options.all};
  if (!options.handler.empty()) selection.handler = options.handler;
  if (options.id.empty()) {
    if (!options.all && options.handler.empty()) {
      refuse("expected the id of a delivery or of an event, --handler NAME or --all; found none");
    }
    return selection;
  }
  if (options.all) refuse("an id and --all contradict each other: give one of them");
  const Reference reference = parse_reference(options.id);
  if (const auto* event = std::get_if<EventId>(&reference)) {
    selection.event_id = *event;
  } else {
    selection.delivery_id = std::get<DeliveryId>(reference);
  }
  return selection;
}

ExitCode run_requeue(const Settings& settings, const RequeueOptions& options) {
  const Selection selection = selection_of(options.selection);
  const auto store = open(settings);
  const std::int64_t count = Admin{store->bus()}.requeue(selection);
  return answer(settings, store->bus(), "requeued", "is dead", options.selection, count);
}

ExitCode run_bury(const Settings& settings, const BuryOptions& options) {
  const Selection selection = selection_of(options.selection);
  const auto store = open(settings);
  const std::int64_t count = Admin{store->bus()}.bury(selection, options.reason);
  return answer(settings, store->bus(), "buried", "is pending or in flight", options.selection,
                count);
}

}  // namespace penstock::cli
