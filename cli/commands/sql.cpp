// `penstock sql`: the schema as a script, for people who have a migration tool of their own.
#include "commands/commands.hpp"

namespace penstock::cli {

ExitCode run_sql(const Settings& settings) {
  const std::string script = schema_script(database_url(settings));
  if (settings.json()) {
    print(Json::object().set("sql", script));
  } else {
    print_text(script);
  }
  return ExitCode::done;
}

}  // namespace penstock::cli
