// The helpers of the SQLite tests.
#include "store/sqlite/sqlite_file.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

namespace penstock::test {

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "penstock-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

PlainConnection::PlainConnection(const std::string& path) {
  if (sqlite3_open(path.c_str(), &handle_) != SQLITE_OK) {
    throw std::runtime_error("cannot open " + path);
  }
  sqlite3_busy_timeout(handle_, 10'000);
}

PlainConnection::~PlainConnection() { sqlite3_close_v2(handle_); }

void PlainConnection::run(const std::string& sql) {
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  EXPECT_EQ(code, SQLITE_OK) << sqlite3_errmsg(handle_) << " in: " << sql;
}

std::vector<std::string> PlainConnection::texts(const std::string& sql) {
  std::vector<std::string> found;
  sqlite3_stmt* statement = nullptr;
  EXPECT_EQ(sqlite3_prepare_v2(handle_, sql.c_str(), -1, &statement, nullptr), SQLITE_OK)
      << sqlite3_errmsg(handle_);
  while (sqlite3_step(statement) == SQLITE_ROW) {
    const void* text = sqlite3_column_text(statement, 0);
    found.emplace_back(text == nullptr ? "" : static_cast<const char*>(text));
  }
  sqlite3_finalize(statement);
  return found;
}

std::int64_t PlainConnection::number(const std::string& sql) {
  const std::vector<std::string> found = texts(sql);
  return found.empty() ? -1 : std::stoll(found.front());
}

std::unique_ptr<SqliteStore> SqliteFile::open(SqliteStoreOptions options) {
  if (options.path.empty()) options.path = path_;
  if (!options.clock) options.clock = clock_;
  return std::make_unique<SqliteStore>(std::move(options));
}

std::unique_ptr<SqliteStore> SqliteFile::set_up(SqliteStoreOptions options) {
  std::unique_ptr<SqliteStore> store = open(std::move(options));
  store->bus().setup(SetupMode::migrate);
  return store;
}

void subscribe(BusStore& bus, const std::string& handler, const std::string& pattern,
               int max_attempts) {
  bus.subscribe({.handler = handler, .types = {pattern}, .max_attempts = max_attempts});
}

Published publish(BusStore& bus, Event event) { return bus.publish({&event, 1}, nullptr).at(0); }

Claimed claim(BusStore& bus, const std::string& worker, std::size_t limit,
              const std::string& handler) {
  const WorkerId id{worker};
  const HandlerRoom room{handler, limit};
  return bus.claim({.worker = id, .handlers = {&room, 1}, .limit = limit});
}

std::vector<Token> tokens_of(const Claimed& claimed) {
  std::vector<Token> tokens;
  for (const Work& work : claimed.work) tokens.push_back(work.token);
  return tokens;
}

std::vector<DeliveryInfo> list(BusStore& bus, const ListQuery& query) {
  std::vector<DeliveryInfo> items;
  ListQuery page = query;
  for (;;) {
    DeliveryPage found = bus.list(page);
    for (DeliveryInfo& item : found.items) items.push_back(std::move(item));
    if (!found.next) return items;
    page.after = *found.next;
  }
}

std::optional<Error> error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

std::optional<ErrorKind> kind_of(const std::function<void()>& call) {
  const std::optional<Error> error = error_of(call);
  if (!error) return std::nullopt;
  return error->kind();
}

Child::Child(const std::function<int()>& body) {
  std::fflush(nullptr);
  process_ = ::fork();
  if (process_ != 0) return;
  int code = 99;
  try {
    code = body();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "child: %s\n", error.what());
  }
  ::_exit(code);
}

Child::~Child() {
  if (process_ > 0) static_cast<void>(wait());
}

int Child::wait() {
  int status = 0;
  if (process_ <= 0 || ::waitpid(process_, &status, 0) != process_) return -1;
  process_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

}  // namespace penstock::test
