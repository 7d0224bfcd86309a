// `penstock handlers`: the subscriptions, which live in the store and not in the programs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands/commands.hpp"
#include "commands/known_handlers.hpp"
#include "commands/subscription.hpp"
#include "output/shell.hpp"
#include "output/table.hpp"
#include "output/text.hpp"

namespace penstock::cli {
namespace {

std::string_view verb_of(SubscriptionState state) {
  switch (state) {
    case SubscriptionState::active: return "resumed";
    case SubscriptionState::paused: return "paused";
    case SubscriptionState::removed: break;
  }
  return "removed";
}

}  // namespace

ExitCode run_handlers_list(const Settings& settings) {
  const auto store = open(settings);
  const auto handlers = Admin{store->bus()}.handlers();
  if (settings.json()) {
    Json items = Json::array();
    for (const Subscription& handler : handlers) {
      Json types = Json::array();
      for (const std::string& type : handler.types) types.push(type);
      items.push(Json::object()
                     .set("handler", handler.handler)
                     .set("types", types)
                     .set("max_attempts", handler.max_attempts)
                     .set("paused", handler.paused));
    }
    print(Json::object().set("items", items).set("next", Json{}));
    return ExitCode::done;
  }
  if (handlers.empty()) {
    print_text("No handler is subscribed. `penstock handle` subscribes one and runs it.\n");
    return ExitCode::done;
  }
  Table table{{{"handler"}, {"types"}, {"attempts", Table::Align::right}, {"state"}}};
  for (const Subscription& handler : handlers) {
    table.add({handler.handler, fmt::format("{}", fmt::join(handler.types, ", ")),
               std::to_string(handler.max_attempts), handler.paused ? "paused" : "active"});
  }
  print_text(table.text());
  return ExitCode::done;
}

ExitCode run_handlers_add(const Settings& settings, const HandlerAddOptions& options) {
  const auto store = open(settings);
  store->bus().setup(SetupMode::migrate);
  const Subscription wanted{
      .handler = options.handler, .types = options.types, .max_attempts = options.max_attempts};
  const std::optional<Subscription> stored = stored_subscription(store->bus(), options.handler);
  store->bus().subscribe(wanted);
  if (stored) warn_of_changes(settings, *stored, wanted);
  if (settings.json()) {
    print(Json::object().set("handler", options.handler).set("change", "added"));
  } else {
    print_text(fmt::format("{}: subscribed. Events published from now on wait for it.\n",
                           options.handler));
  }
  return ExitCode::done;
}

ExitCode run_handlers_change(const Settings& settings, const std::string& handler,
                             SubscriptionState state) {
  const auto store = open(settings);
  if (store->bus().set_subscription_state(handler, state) == Verdict::lost) {
    std::vector<std::string> names;
    for (const Subscription& one : Admin{store->bus()}.handlers()) names.push_back(one.handler);
    return report_not_found("no handler is subscribed as " + handler + "; " + there_are(names),
                            settings.format);
  }
  Json json = Json::object().set("handler", handler).set("change", verb_of(state));
  std::string text = fmt::format("{}: {}.\n", handler, verb_of(state));
  if (state == SubscriptionState::removed) {
    const Statistics statistics = Admin{store->bus()}.statistics();
    const auto left = statistics.handlers.find(handler);
    const std::int64_t pending = left == statistics.handlers.end() ? 0 : left->second.pending;
    json.set("pending", pending);
    if (pending > 0) {
      text += fmt::format(
          "{} left pending, which nobody takes: penstock bury --handler {} ends "
          "them.\n",
          counted(pending, "delivery is", "deliveries are"), shell_word(handler));
    }
  }
  if (settings.json()) {
    print(json);
  } else {
    print_text(text);
  }
  return ExitCode::done;
}

}  // namespace penstock::cli
