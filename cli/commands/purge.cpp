// `penstock purge`: deletes what outlived its retention; running dispatchers do the same by
// themselves.
#include <fmt/format.h>

#include "commands/commands.hpp"
#include "output/text.hpp"

namespace penstock::cli {

ExitCode run_purge(const Settings& settings, const PurgeOptions& options) {
  const auto store = open(settings);
  const Purged purged = Admin{store->bus()}.purge_expired(options.retention);
  if (settings.json()) {
    print(Json::object()
              .set("events", purged.events)
              .set("dead", purged.dead)
              .set("history", purged.history)
              .set("keys", purged.keys));
  } else {
    print_text(fmt::format("Deleted: {}, {}, {} of the history, {}.\n",
                           counted(purged.events, "event", "events"),
                           counted(purged.dead, "dead delivery", "dead deliveries"),
                           counted(purged.history, "completed one", "completed ones"),
                           counted(purged.keys, "key", "keys")));
  }
  return ExitCode::done;
}

}  // namespace penstock::cli
