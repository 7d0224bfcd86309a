// Connection strings.
#include "store/postgres/target.hpp"

#include <libpq-fe.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "work/check.hpp"

namespace penstock::postgres::detail {
namespace {

struct Default {
  const char* keyword;
  const char* environment;
  const char* value;
};

// A half-open connection is found within a minute, also in the middle of an answer that never
// comes; without these it takes two hours.
constexpr std::array kDefaults{
    Default{"connect_timeout", "PGCONNECT_TIMEOUT", "10"},
    Default{"keepalives_idle", nullptr, "10"},
    Default{"keepalives_interval", nullptr, "10"},
    Default{"keepalives_count", nullptr, "3"},
    Default{"tcp_user_timeout", nullptr, "40000"},
    Default{"fallback_application_name", nullptr, "penstock"},
};

struct FreeOptions {
  void operator()(PQconninfoOption* options) const noexcept { PQconninfoFree(options); }
};
using Options = std::unique_ptr<PQconninfoOption, FreeOptions>;

Options parsed(const std::string& connection) {
  char* problem = nullptr;
  Options options(PQconninfoParse(connection.c_str(), &problem));
  // libpq's own text may quote the password.
  PQfreemem(problem);
  if (options) return options;
  work::refuse("db",
               "expected a connection string of PostgreSQL, such as "
               "\"postgresql://user@host:5432/database\"; check its host, port, options and "
               "escapes (%XX)");
}

std::string environment_or(const char* name, std::string_view absent) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets it.
  return value == nullptr || *value == '\0' ? std::string(absent) : value;
}

}  // namespace

Target::Target(const std::string& connection) {
  if (connection.find('\0') != std::string::npos) {
    work::refuse("db", "a connection string must not contain a NUL");
  }
  std::string host;
  std::string database;
  const Options options = parsed(connection);
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    const std::string_view keyword = option->keyword;
    // Text is sent in UTF-8, whatever the environment says.
    if (keyword == "client_encoding") continue;
    if (keyword == "host") host = option->val;
    if (keyword == "dbname") database = option->val;
    settings_.emplace_back(keyword, option->val);
  }
  settings_.emplace_back("client_encoding", "UTF8");
  for (const Default& standard : kDefaults) {
    bool given =
        standard.environment != nullptr && !environment_or(standard.environment, "").empty();
    for (const auto& [keyword, value] : settings_) given = given || keyword == standard.keyword;
    if (!given) settings_.emplace_back(standard.keyword, standard.value);
  }
  if (host.empty()) host = environment_or("PGHOST", "this machine");
  if (database.empty()) database = environment_or("PGDATABASE", "of the user's name");
  place_ = "database " + database + " on " + host;
}

bool Target::knows_option(const std::string& name) {
  if (name == "ssl") return true;  // What other drivers write; libpq reads it in URLs.
  const Options options(PQconndefaults());
  for (const PQconninfoOption* option = options.get();
       option != nullptr && option->keyword != nullptr; ++option) {
    if (name == option->keyword) return true;
  }
  return false;
}

}  // namespace penstock::postgres::detail
