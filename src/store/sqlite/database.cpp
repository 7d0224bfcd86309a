// Opening connections when they are first needed, joining callers' transactions, telling a child
// process that it cannot use its parent's handles.
#include "store/sqlite/database.hpp"

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "penstock/error.hpp"
#include "store/sqlite/error_table.hpp"
#include "store/sqlite/migrate.hpp"
#include "work/check.hpp"

namespace penstock::sqlite::detail {
namespace {

constexpr std::size_t kIdleConnections = 8;
// Others look again at least that often while they wait for the file.
constexpr std::chrono::milliseconds kLongestYield{100};
// SQLite's own limit of a value is 1,000,000,000 bytes; a row has a few more.
constexpr std::size_t kLargestPayload = 900'000'000;

std::string absolute_path(const SqliteStoreOptions& options) {
  work::check_text("path", options.path, 4096);
  if (options.path == ":memory:") {
    work::refuse("path", "path must name a file; for a store in memory open memory:");
  }
  // Through links, because the write-ahead log lies beside the file itself.
  return std::filesystem::weakly_canonical(std::filesystem::absolute(options.path)).string();
}

bool same_file(const char* left, const std::string& right) {
  struct stat a{};
  struct stat b{};
  return left != nullptr && ::stat(left, &a) == 0 && ::stat(right.c_str(), &b) == 0 &&
         a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

}  // namespace

Database::Database(SqliteStoreOptions options)
    : options_(std::move(options)), path_(absolute_path(options_)), process_(::getpid()) {
  if (!options_.clock) options_.clock = std::make_shared<SystemClock>();
  if (options_.max_payload > kLargestPayload) {
    work::refuse("max_payload", "max_payload must be at most 900000000 bytes", kLargestPayload);
  }
  if (options_.busy_timeout < Duration::zero()) {
    work::refuse("busy_timeout", "busy_timeout must not be negative");
  }
  options_.busy_timeout = std::min<Duration>(options_.busy_timeout, std::chrono::years{1});
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  if (std::filesystem::is_directory(path_) || !std::filesystem::is_directory(folder)) {
    throw Error(ErrorKind::unavailable,
                "open: " + path_ +
                    (std::filesystem::is_directory(path_)
                         ? " is a folder; name a file"
                         : " cannot be made, because its folder does not exist; make the folder"),
                {.operation = "open", .store_code = std::to_string(SQLITE_CANTOPEN)});
  }
  if (!std::filesystem::exists(path_)) return;
  base::MutexLock lock(writer_mutex_);
  writer_ = open(Connection::Access::read_write);
  // Reads the header: a file that is no database is told here and not in the middle of work.
  writer_->execute("pragma schema_version");
}

Database::~Database() {
  if (::getpid() == process_) return;
  // Closing in a child could remove the parent's write-ahead log under its feet.
  for (auto* slot : {&writer_, &reader_}) {
    if (*slot) slot->release()->abandon();
  }
  for (auto& connection : pool_) connection.release()->abandon();
}

void Database::check_process() const {
  if (::getpid() == process_) return;
  throw Error(ErrorKind::usage,
              "the store on " + path_ +
                  " was opened before fork: SQLite's handles cannot be used in a child process; "
                  "open it again after fork");
}

std::unique_ptr<Connection> Database::open(Connection::Access access) {
  auto connection = std::make_unique<Connection>(path_, access, options_.busy_timeout);
  was_opened_ = true;
  return connection;
}

void Database::refuse_missing_file() const {
  if (std::filesystem::exists(path_)) return;
  if (was_opened_) {
    throw_failure(nullptr, SQLITE_READONLY_DBMOVED, {.operation = "open", .path = path_});
  }
  refuse_other_schema(0, path_);
}

Connection& Database::ready(std::unique_ptr<Connection>& slot, std::string_view operation) {
  if (!slot) {
    refuse_missing_file();
    slot = open(Connection::Access::read_write);
  }
  slot->begin_operation(operation);
  return *slot;
}

Connection& Database::reader(std::string_view operation) {
  Connection& connection = ready(reader_, operation);
  connection.check_not_moved();
  connection.check_schema();
  return connection;
}

void Database::create() {
  check_process();
  base::MutexLock lock(writer_mutex_);
  if (!writer_) writer_ = open(Connection::Access::create);
  writer_->begin_operation("setup");
  writer_->check_not_moved();
  writer_->forget_schema();
  writer_->use_write_ahead_log();
  migrate(*writer_);
}

void Database::check() {
  check_process();
  base::MutexLock lock(writer_mutex_);
  Connection& connection = writer("setup");
  connection.forget_schema();
  connection.check_schema();
}

std::unique_ptr<Connection> Database::take_from_pool() {
  {
    base::MutexLock lock(pool_mutex_);
    if (!pool_.empty()) {
      std::unique_ptr<Connection> connection = std::move(pool_.back());
      pool_.pop_back();
      return connection;
    }
  }
  refuse_missing_file();
  return open(Connection::Access::read_write);
}

void Database::give_to_pool(std::unique_ptr<Connection> connection) noexcept {
  base::MutexLock lock(pool_mutex_);
  if (pool_.size() < kIdleConnections) pool_.push_back(std::move(connection));
}

Database::Turn::Turn(Database& database) : database_(database) {
  const auto deadline = std::chrono::steady_clock::now() + database_.options_.busy_timeout;
  base::MutexLock lock(database_.turn_mutex_);
  for (;;) {
    const auto now = std::chrono::steady_clock::now();
    if (!database_.holder_ && now >= database_.next_turn_) break;
    if (now >= deadline)
      throw_failure(nullptr, SQLITE_BUSY, {.operation = "begin", .path = database_.path_});
    const auto until = database_.holder_ ? deadline : std::min(deadline, database_.next_turn_);
    database_.turn_over_.wait_until(lock, until);
  }
  database_.holder_ = std::this_thread::get_id();
  began_ = std::chrono::steady_clock::now();
}

Database::Turn::~Turn() {
  if (::getpid() != database_.process_) return;
  const auto now = std::chrono::steady_clock::now();
  base::MutexLock lock(database_.turn_mutex_);
  database_.holder_.reset();
  database_.next_turn_ =
      now + std::min<std::chrono::steady_clock::duration>((now - began_) / 8, kLongestYield);
  database_.turn_over_.notify_all();
}

void Database::refuse_to_wait_for_oneself(std::string_view operation) {
  base::MutexLock lock(turn_mutex_);
  if (holder_ != std::this_thread::get_id()) return;
  throw Error(
      ErrorKind::usage,
      std::string(operation) +
          ": this thread has a transaction of the store open, which this call would wait for: "
          "pass it the transaction, or end that first",
      {.operation = std::string(operation)});
}

std::unique_ptr<OwnedTransaction> Database::begin() {
  check_process();
  refuse_to_wait_for_oneself("begin");
  auto transaction = std::make_unique<HeldTransaction>(*this);
  transaction->connection().check_not_moved();
  transaction->connection().check_schema();
  return transaction;
}

std::optional<std::int64_t> Database::try_data_version() {
  if (!writer_mutex_.try_lock()) return std::nullopt;
  std::optional<std::int64_t> version;
  try {
    if (writer_) {
      writer_->begin_operation("listen");
      static constexpr SqlText kDataVersion{"data_version", "pragma data_version"};
      Query query = writer_->query(kDataVersion);
      if (query.next()) version = query.integer(0);
    }
  } catch (const Error&) {
    // Only a hint is lost: the next claim meets the same failure and tells it.
  }
  writer_mutex_.unlock();
  return version;
}

Database::SavePoint::~SavePoint() {
  if (released_ || !connection_.in_transaction()) return;
  sqlite3_exec(connection_.handle(), "rollback to penstock; release penstock", nullptr, nullptr,
               nullptr);
}

void Database::SavePoint::release() {
  connection_.execute("release penstock");
  released_ = true;
}

Database::Joined::Joined(Database& database, const Transaction& transaction,
                         std::string_view operation) {
  if (const auto* held = dynamic_cast<const HeldTransaction*>(&transaction)) {
    if (&held->database() != &database) {
      throw Error(ErrorKind::usage, "the transaction was begun by another store than this one");
    }
    connection_ = &held->connection();
  } else if (const auto* borrowed = dynamic_cast<const Borrowed*>(&transaction)) {
    if (borrowed->connection() == nullptr) {
      throw Error(ErrorKind::usage, "the borrowed connection is null");
    }
    borrowed_ = std::make_unique<Connection>(borrowed->connection(), database.path());
    connection_ = borrowed_.get();
    if (!same_file(sqlite3_db_filename(connection_->handle(), "main"), database.path())) {
      throw Error(ErrorKind::usage, "the borrowed connection must be open on " + database.path() +
                                        "; its main database is another file");
    }
  } else {
    throw Error(ErrorKind::usage,
                "the transaction belongs to another kind of store; pass "
                "penstock::sqlite::borrow(connection) or one of this store's begin()");
  }
  if (!connection_->in_transaction()) {
    throw Error(ErrorKind::usage,
                "the connection is not inside a transaction: run BEGIN IMMEDIATE on it first");
  }
  connection_->begin_operation(operation);
  connection_->check_not_moved();
  connection_->check_schema();
}

HeldTransaction::HeldTransaction(Database& database)
    : database_(database), turn_(std::in_place, database), connection_(database.take_from_pool()) {
  connection_->begin_operation("begin");
  connection_->begin_immediate();
}

HeldTransaction::~HeldTransaction() {
  if (::getpid() != database_.process_) {
    connection_.release()->abandon();
    return;
  }
  connection_->roll_back();
  database_.give_to_pool(std::move(connection_));
}

Connection& HeldTransaction::connection() const {
  database_.check_process();
  if (!open_) throw Error(ErrorKind::usage, "the transaction was committed already");
  return *connection_;
}

void HeldTransaction::commit() {
  Connection& held = connection();
  held.begin_operation("commit");
  held.check_not_moved();
  if (!held.in_transaction()) {
    throw Error(ErrorKind::conflict,
                "the transaction was rolled back already, by SQLite after an error or by a "
                "statement of the handler; run it again");
  }
  held.commit();
  open_ = false;
  turn_.reset();
}

}  // namespace penstock::sqlite::detail
