// `penstock sql`: the schema, or the upgrade from 0.1.0, as a script, for people who have a
// migration tool of their own.
#include "commands/commands.hpp"

namespace penstock::cli {

ExitCode run_sql(const Settings& settings, const SqlOptions& options) {
  const std::string url = database_url(settings);
  const std::string script =
      options.script == SqlOptions::Script::upgrade ? upgrade_script(url) : schema_script(url);
  if (settings.json()) {
    print(Json::object().set("sql", script));
  } else {
    print_text(script);
  }
  return ExitCode::done;
}

}  // namespace penstock::cli
