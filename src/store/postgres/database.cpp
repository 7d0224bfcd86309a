// Running calls: which are tried again, in whose transaction, and on what kind of server.
#include "store/postgres/database.hpp"

#include <libpq-fe.h>
#include <unistd.h>

#include <thread>

#include "base/say.hpp"
#include "penstock/error.hpp"
#include "work/check.hpp"

namespace penstock::postgres::detail {
namespace {

using namespace std::chrono_literals;

// A value of PostgreSQL has at most 1 GB; a batch of one payload travels as an array.
constexpr std::size_t kLargestPayload = 500'000'000;
constexpr std::size_t kLargestPool = 10'000;
constexpr int kTries = 6;
constexpr Duration kFirstPause = 2ms;

bool is_lost_connection(const Error& error) {
  return error.store_code().empty() || spoils_the_session(error.store_code());
}

}  // namespace

Database::Database(PostgresStoreOptions options)
    : options_(std::move(options)),
      names_(options_.schema, options_.prefix),
      target_(options_.connection),
      process_(::getpid()),
      pooled_(options_.pooler),
      calls_(options_.pool_size, [this] { return open_for_pool(); }),
      held_(options_.pool_size, [this] { return open_for_pool(); }) {
  if (options_.pool_size < 1 || options_.pool_size > kLargestPool) {
    work::refuse("pool_size", "pool_size must be from 1 to 10000", kLargestPool);
  }
  if (options_.max_payload > kLargestPayload) {
    work::refuse("max_payload", "max_payload must be at most 500000000 bytes", kLargestPayload);
  }
  if (options_.pool_timeout < Duration::zero()) {
    work::refuse("pool_timeout", "pool_timeout must not be negative");
  }
  options_.pool_timeout = std::min<Duration>(options_.pool_timeout, std::chrono::years{1});
}

Database::~Database() = default;

void Database::check_process() const {
  if (::getpid() == process_) return;
  throw Error(ErrorKind::usage,
              "the store on " + target_.place() +
                  " was opened before fork: its connections belong to the parent; open it again "
                  "after fork");
}

Pool::Deadline Database::pool_deadline() const {
  return std::chrono::steady_clock::now() + options_.pool_timeout;
}

Pool::Lease Database::borrow(Pool& pool, std::string_view operation) {
  return pool.borrow(operation, pool_deadline());
}

std::unique_ptr<Connection> Database::connect() {
  check_process();
  return std::make_unique<Connection>(target_, names_, Preparing::never, options_.log);
}

std::unique_ptr<Connection> Database::open_for_pool() {
  auto connection = connect();
  find_out_pooler(*connection);
  base::MutexLock lock(mutex_);
  connection->set_preparing(*pooled_ ? Preparing::never : Preparing::named);
  // Every check behind a lock has to see what was committed before it, whatever the database's
  // default is. Through a pooler each call says so itself.
  if (!*pooled_) connection->execute("set default_transaction_isolation = 'read committed'");
  return connection;
}

// A server names its process when a session begins. A pooler makes that number up, because the
// process behind the session changes.
void Database::find_out_pooler(Connection& connection) {
  {
    base::MutexLock lock(mutex_);
    if (pooled_) return;
  }
  connection.begin_operation("open", Stage::undone);
  const Result answer = connection.send_text("pooler", "select pg_backend_pid()", Parameters{});
  const std::int64_t answering = answer.only().integer(0);
  const std::int64_t announced = PQbackendPID(connection.handle());
  const bool pooled = answering != announced;
  {
    base::MutexLock lock(mutex_);
    if (pooled_) return;
    pooled_ = pooled;
  }
  if (!pooled) return;
  base::say(options_.log, LogLevel::info,
            "a pooler stands before the server: nothing is prepared, and work of other processes "
            "is found by polling",
            {{"place", target_.place()},
             {"announced", std::to_string(announced)},
             {"answering", std::to_string(answering)}});
}

bool Database::is_pooled() {
  {
    base::MutexLock lock(mutex_);
    if (pooled_) return *pooled_;
  }
  (void)borrow(calls_, "open");
  base::MutexLock lock(mutex_);
  return pooled_.value_or(false);
}

void Database::check_schema(Connection& connection) {
  if (connection.schema_was_checked()) return;
  connection.begin_operation("open", Stage::undone);
  refuse_other_schema(schema_version(connection), connection);
  connection.set_schema_checked(true);
  schema_is_current_ = true;
}

void Database::create(OldLeases old_leases) {
  Migrated done = Migrated::nothing;
  std::vector<OldTables> elsewhere;
  run("setup", Effect::repeatable, Scope::setup, [&](Connection& connection) {
    connection.set_schema_checked(false);
    done = migrate(connection, old_leases);
    if (done == Migrated::made) elsewhere = find_old_tables(connection);
  });
  if (done == Migrated::upgraded) {
    base::say(options_.log, LogLevel::info, "the tables were upgraded",
              {{"schema", names_.schema()}, {"prefix", names_.prefix()}});
  }
  // Somebody who upgrades and forgets to say where the old tables are begins with empty ones.
  for (const OldTables& old : elsewhere) {
    base::say(
        options_.log, LogLevel::warning,
        "made new tables, but there are tables of version 0.1.0: to upgrade those, name their "
        "schema and prefix in the URL",
        {{"schema", old.schema}, {"prefix", old.prefix}});
  }
}

void Database::drop() {
  schema_is_current_ = false;
  run("drop", Effect::repeatable, Scope::setup, [](Connection& connection) {
    connection.set_schema_checked(false);
    drop_tables(connection);
  });
}

void Database::check() {
  schema_is_current_ = false;
  run("setup", Effect::none, Scope::setup, [this](Connection& connection) {
    connection.set_schema_checked(false);
    check_schema(connection);
  });
}

void Database::run_once(Connection& connection, Scope scope, const Call& work) {
  if (scope == Scope::transaction) connection.begin();
  if (scope == Scope::snapshot) {
    connection.begin("begin isolation level repeatable read, read only");
  }
  try {
    work(connection);
    if (scope == Scope::transaction) connection.commit();
    if (scope == Scope::snapshot) connection.roll_back();
  } catch (...) {
    connection.roll_back();
    throw;
  }
}

void Database::run(std::string_view operation, Effect effect, Scope scope, const Call& work) {
  check_process();
  const Stage alone = effect == Effect::once ? Stage::commit : Stage::undone;
  for (int tries = 1;; ++tries) {
    bool stale = false;
    try {
      Pool::Lease connection = borrow(calls_, operation);
      stale = !connection.is_fresh();
      try {
        if (scope != Scope::setup) check_schema(*connection);
        connection->begin_operation(operation, alone);
        run_once(*connection, scope, work);
        return;
      } catch (const Error& error) {
        if (error.kind() == ErrorKind::schema) connection->set_schema_checked(false);
        throw;
      }
    } catch (const Error& error) {
      if (!shall_repeat(error, stale, tries)) throw;
    }
  }
}

bool Database::shall_repeat(const Error& error, bool stale, int tries) {
  if (error.kind() == ErrorKind::in_doubt || tries >= kTries) return false;
  if (is_lost_connection(error)) {
    // Old sockets mostly die together.
    calls_.drop_idle();
    held_.drop_idle();
    return stale && error.kind() != ErrorKind::conflict && error.kind() != ErrorKind::schema;
  }
  if (!is_worth_repeating(error.store_code())) return false;
  double fraction = 0;
  {
    base::MutexLock lock(mutex_);
    fraction = random_.fraction();
  }
  const auto longest = static_cast<double>((kFirstPause * (1 << tries)).count());
  std::this_thread::sleep_for(Duration{static_cast<Duration::rep>(longest * fraction)});
  return true;
}

std::unique_ptr<OwnedTransaction> Database::begin() {
  check_process();
  for (int tries = 1;; ++tries) {
    bool stale = false;
    try {
      Pool::Lease connection = borrow(held_, "begin");
      stale = !connection.is_fresh();
      check_schema(*connection);
      connection->begin_operation("begin", Stage::undone);
      connection->begin("begin");
      return std::make_unique<HeldTransaction>(*this, std::move(connection));
    } catch (const Error& error) {
      if (!shall_repeat(error, stale, tries)) throw;
    }
  }
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
    borrowed_ = std::make_unique<Connection>(borrowed->connection(), database.names_);
    connection_ = borrowed_.get();
    // On a connection of our own: a missing table would end the caller's transaction.
    if (!database.schema_is_current_) {
      database.run(operation, Effect::none, Scope::statement, [](Connection&) {});
    }
  } else {
    throw Error(ErrorKind::usage,
                "the transaction belongs to another kind of store; pass "
                "penstock::postgres::borrow(connection) or one of this store's begin()");
  }
  connection_->begin_operation(operation, Stage::undone);
  connection_->check_can_join();
}

HeldTransaction::HeldTransaction(Database& database, Pool::Lease connection)
    : database_(database), connection_(std::move(connection)) {}

HeldTransaction::~HeldTransaction() { connection_->roll_back(); }

Connection& HeldTransaction::connection() const {
  database_.check_process();
  if (!open_) throw Error(ErrorKind::usage, "the transaction was committed already");
  return *connection_;
}

void HeldTransaction::commit() {
  Connection& held = connection();
  held.begin_operation("commit", Stage::commit);
  if (held.is_usable()) {
    throw Error(ErrorKind::conflict,
                "commit: the transaction was ended already by a statement of the handler; leave "
                "its end to penstock and run it again",
                {.operation = "commit"});
  }
  held.commit();
  open_ = false;
  database_.hints().raise();
}

}  // namespace penstock::postgres::detail
