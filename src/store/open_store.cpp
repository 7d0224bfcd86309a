// Opens whichever store a URL names, among those that were built in.
#include "penstock/pages.hpp"
#include "penstock/store.hpp"
#include "penstock/stores/memory.hpp"
#include "store/store_url.hpp"
#include "work/check.hpp"

#ifdef PENSTOCK_HAS_SQLITE
#include "penstock/stores/sqlite.hpp"
#include "store/sqlite/migrate.hpp"
#endif

#ifdef PENSTOCK_HAS_POSTGRES
#include "store/postgres/database.hpp"
#include "store/postgres/migrate.hpp"
#include "store/postgres/pages/inspect.hpp"
#include "store/postgres/url.hpp"
#endif

namespace penstock {
namespace {

using store::StoreUrl;

[[noreturn]] void refuse_unknown_scheme(const StoreUrl& url) {
  work::refuse("db", "no store is built in for \"" + url.scheme +
                         ":\"; known are memory:, sqlite:FILE and postgresql://HOST/DATABASE");
}

std::unique_ptr<Store> open_memory(StoreUrl url) {
  MemoryStoreOptions options;
  options.retain_completed = store::take_switch(url, "retain_completed", false);
  store::refuse_unknown_options(url);
  if (!url.place.empty()) work::refuse("db", "\"memory:\" takes no place");
  return std::make_unique<MemoryStore>(std::move(options));
}

#ifdef PENSTOCK_HAS_SQLITE
std::unique_ptr<Store> open_sqlite(StoreUrl url, StoreOptions store_options) {
  SqliteStoreOptions options;
  options.completion_history = store::take_switch(url, "completion_history", false);
  options.log = std::move(store_options.log);
  store::refuse_unknown_options(url);
  if (url.place.empty()) work::refuse("db", "\"sqlite:\" must be followed by a file name");
  if (url.place == ":memory:") {
    work::refuse("db", "a SQLite database in memory cannot be shared; use \"memory:\"");
  }
  options.path = std::move(url.place);
  return std::make_unique<SqliteStore>(std::move(options));
}
#endif

#ifdef PENSTOCK_HAS_POSTGRES
std::unique_ptr<Store> open_postgres(std::string_view url, StoreOptions store_options) {
  PostgresStoreOptions options = postgres::detail::options_of_url(url);
  options.log = std::move(store_options.log);
  return std::make_unique<PostgresStore>(std::move(options));
}

postgres::detail::Names postgres_names(std::string_view url) {
  PostgresStoreOptions options = postgres::detail::options_of_url(url);
  return {std::move(options.schema), std::move(options.prefix)};
}
#endif

}  // namespace

std::unique_ptr<Store> open_store(std::string_view url, [[maybe_unused]] StoreOptions options) {
#ifdef PENSTOCK_HAS_POSTGRES
  if (postgres::detail::is_postgres_url(url)) return open_postgres(url, std::move(options));
#endif
  StoreUrl parsed = store::parse_store_url(url);
  if (parsed.scheme == "memory") return open_memory(std::move(parsed));
#ifdef PENSTOCK_HAS_SQLITE
  if (parsed.scheme == "sqlite") return open_sqlite(std::move(parsed), std::move(options));
#endif
  refuse_unknown_scheme(parsed);
}

std::string schema_script(std::string_view url) {
#ifdef PENSTOCK_HAS_POSTGRES
  if (postgres::detail::is_postgres_url(url)) {
    return postgres::detail::schema_script(postgres_names(url));
  }
#endif
  const StoreUrl parsed = store::parse_store_url(url);
#ifdef PENSTOCK_HAS_SQLITE
  if (parsed.scheme == "sqlite") return sqlite::detail::schema_script();
#endif
  if (parsed.scheme == "memory") work::refuse("db", "\"memory:\" has no tables and no SQL");
  refuse_unknown_scheme(parsed);
}

std::string upgrade_script(std::string_view url) {
#ifdef PENSTOCK_HAS_POSTGRES
  if (postgres::detail::is_postgres_url(url)) {
    return postgres::detail::upgrade_script(postgres_names(url));
  }
#endif
  const StoreUrl parsed = store::parse_store_url(url);
  if (parsed.scheme != "memory" && parsed.scheme != "sqlite") refuse_unknown_scheme(parsed);
  work::refuse("db", "version 0.1.0 has no tables in a store of \"" + parsed.scheme +
                         ":\"; only PostgreSQL is upgraded");
}

std::string roles_script(std::string_view url) {
#ifdef PENSTOCK_HAS_POSTGRES
  if (postgres::detail::is_postgres_url(url)) {
    return postgres::detail::roles_script(postgres_names(url));
  }
#endif
  const StoreUrl parsed = store::parse_store_url(url);
  if (parsed.scheme != "memory" && parsed.scheme != "sqlite") refuse_unknown_scheme(parsed);
  work::refuse("db", "expected --db postgresql://…: only PostgreSQL has roles; found \"" +
                         parsed.scheme + ":\"");
}

void drop_tables(std::string_view url) {
#ifdef PENSTOCK_HAS_POSTGRES
  if (postgres::detail::is_postgres_url(url)) {
    postgres::detail::Database(postgres::detail::options_of_url(url)).drop();
    return;
  }
#endif
  const StoreUrl parsed = store::parse_store_url(url);
#ifdef PENSTOCK_HAS_SQLITE
  if (parsed.scheme == "sqlite") {
    sqlite::detail::drop_tables(parsed.place);
    return;
  }
#endif
  if (parsed.scheme == "memory") work::refuse("db", "\"memory:\" has no tables");
  refuse_unknown_scheme(parsed);
}

std::vector<PageEvidence> inspect_pages(std::string_view url) {
#ifdef PENSTOCK_HAS_POSTGRES
  if (postgres::detail::is_postgres_url(url)) {
    return postgres::detail::inspect_pages(postgres::detail::options_of_url(url));
  }
#endif
  work::refuse("db", "expected --db postgresql://…: only PostgreSQL shows its pages; found \"" +
                         store::parse_store_url(url).scheme + ":\"");
}

}  // namespace penstock
