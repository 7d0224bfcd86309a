// `penstock sql`: the schema, the upgrade from 0.1.0 or the roles as a script, for people who have
// a migration tool of their own.
#include "commands/commands.hpp"

namespace penstock::cli {

namespace {

std::string script_of(SqlOptions::Script script, const std::string& url) {
  switch (script) {
    case SqlOptions::Script::fresh: break;
    case SqlOptions::Script::upgrade: return upgrade_script(url);
    case SqlOptions::Script::roles: return roles_script(url);
  }
  return schema_script(url);
}

}  // namespace

ExitCode run_sql(const Settings& settings, const SqlOptions& options) {
  const std::string script = script_of(options.script, database_url(settings));
  if (settings.json()) {
    print(Json::object().set("sql", script));
  } else {
    print_text(script);
  }
  return ExitCode::done;
}

}  // namespace penstock::cli
