// Talking to the server.
#include "store/postgres/connection.hpp"

#include <libpq-fe.h>
#include <poll.h>
#include <unistd.h>

#include "base/invariant.hpp"
#include "base/mutant.hpp"
#include "base/say.hpp"
#include "store/postgres/target.hpp"

namespace penstock::postgres::detail {
namespace {

// What the server says beside its answers. Without a receiver libpq prints it to stderr.
void pass_on_notice(void* log, const PGresult* notice) {
  const char* severity = PQresultErrorField(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
  const char* text = PQresultErrorField(notice, PG_DIAG_MESSAGE_PRIMARY);
  base::say(*static_cast<const Log*>(log), LogLevel::debug, "the server gave a notice",
            {{"severity", severity == nullptr ? "" : severity},
             {"notice", text == nullptr ? PQresultErrorMessage(notice) : text}});
}

PGconn* connect_to(const Target& target) {
  std::vector<const char*> keywords;
  std::vector<const char*> values;
  for (const auto& [keyword, value] : target.settings()) {
    keywords.push_back(keyword.c_str());
    values.push_back(value.c_str());
  }
  keywords.push_back(nullptr);
  values.push_back(nullptr);
  return PQconnectdbParams(keywords.data(), values.data(), 0);
}

bool is_failure(const PGresult* result) {
  const ExecStatusType status = PQresultStatus(result);
  return status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK;
}

/// The answer to what was just sent: the first failure, else the last result. libpq's own PQexec
/// would answer that the connection broke, and forget the server's word why it ended it.
Result answer_of(PGconn* handle, int sent) {
  PGresult* answer = nullptr;
  while (PGresult* next = sent == 0 ? nullptr : PQgetResult(handle)) {
    if (answer != nullptr && is_failure(answer)) {
      PQclear(next);
    } else {
      PQclear(answer);
      answer = next;
    }
  }
  return Result(answer);
}

}  // namespace

Connection::Connection(const Target& target, const Names& names, Preparing preparing, Log log)
    : names_(names),
      place_(target.place()),
      process_(::getpid()),
      handle_(connect_to(target)),
      owned_(true),
      preparing_(preparing),
      log_(std::move(log)) {
  if (PQstatus(handle_) == CONNECTION_OK) {
    PQsetNoticeReceiver(handle_, pass_on_notice, &log_);
    return;
  }
  try {
    fail(nullptr, {});
  } catch (...) {
    PQfinish(handle_);
    throw;
  }
}

Connection::Connection(pg_conn* borrowed, const Names& names)
    : names_(names),
      place_("the caller's connection"),
      process_(::getpid()),
      handle_(borrowed),
      owned_(false),
      preparing_(Preparing::never),
      in_transaction_(true) {}

Connection::~Connection() {
  // In a child, closing would tell the server that the parent leaves.
  if (owned_ && in_own_process()) PQfinish(handle_);
}

bool Connection::in_own_process() const noexcept { return ::getpid() == process_; }

void Connection::begin_operation(std::string_view operation, Stage alone) {
  operation_ = operation;
  alone_ = alone;
  lone_statements_ = 0;
}

Stage Connection::stage() const noexcept {
  return in_transaction_ && !committing_ ? Stage::undone : alone_;
}

void Connection::check_can_join() const {
  const auto refuse = [this](ErrorKind kind, const std::string& text) {
    throw Error(kind, std::string(operation_) + ": " + text,
                {.operation = std::string(operation_)});
  };
  if (PQstatus(handle_) != CONNECTION_OK) {
    refuse(ErrorKind::unavailable, "the connection of the transaction is broken; connect again");
  }
  if (PQpipelineStatus(handle_) != PQ_PIPELINE_OFF) {
    refuse(ErrorKind::usage, "the connection is in pipeline mode; leave it first");
  }
  if (PQtransactionStatus(handle_) == PQTRANS_INERROR) {
    refuse(ErrorKind::conflict,
           "a statement of the transaction has failed; roll it back and run it again");
  }
  if (PQtransactionStatus(handle_) != PQTRANS_INTRANS) {
    refuse(ErrorKind::usage, "the connection is not inside a transaction: run BEGIN on it first");
  }
  if (std::string_view(pg_encoding_to_char(PQclientEncoding(handle_))) != "UTF8") {
    refuse(ErrorKind::usage, "the connection must have client_encoding UTF8");
  }
}

void Connection::count_statement() {
  if (in_transaction_ || alone_ == Stage::undone) return;
  PENSTOCK_INVARIANT(lone_statements_ == 0);
  ++lone_statements_;
}

Connection::Statement& Connection::statement(const SqlText& sql) {
  Statement& found = statements_[sql.text.data()];
  if (found.text.empty()) {
    // A prefix of our own, because handlers may prepare statements of theirs on this connection.
    found.name = "penstock_" + std::string(sql.name);
    found.text = names_.render(base::as_mutated(sql.text));
  }
  return found;
}

const std::string& Connection::text_of(const SqlText& sql) { return statement(sql).text; }

const char* Connection::prepared(const SqlText& sql, const Parameters& parameters) {
  if (preparing_ == Preparing::never) return nullptr;
  Statement& wanted = statement(sql);
  if (!wanted.prepared) {
    const Result result(PQprepare(handle_, wanted.name.c_str(), wanted.text.c_str(),
                                  parameters.count(), parameters.types()));
    check(result, sql.name);
    wanted.prepared = true;
  }
  return wanted.name.c_str();
}

Result Connection::send(const SqlText& sql, const Parameters& parameters) {
  const char* name = prepared(sql, parameters);
  if (name == nullptr) return send_text(sql.name, text_of(sql), parameters);
  count_statement();
  const std::vector<const char*> values = parameters.values();
  Result result =
      answer_of(handle_, PQsendQueryPrepared(handle_, name, parameters.count(), values.data(),
                                             parameters.lengths(), parameters.formats(), 1));
  check(result, sql.name);
  return result;
}

Result Connection::send_text(std::string_view name, const std::string& text,
                             const Parameters& parameters) {
  count_statement();
  const std::vector<const char*> values = parameters.values();
  Result result = answer_of(
      handle_, PQsendQueryParams(handle_, text.c_str(), parameters.count(), parameters.types(),
                                 values.data(), parameters.lengths(), parameters.formats(), 1));
  check(result, name);
  return result;
}

void Connection::execute(const std::string& sql) {
  const Result result = answer_of(handle_, PQsendQuery(handle_, sql.c_str()));
  check(result, {});
}

void Connection::begin(const char* how) {
  execute(how);
  in_transaction_ = true;
}

void Connection::commit() {
  committing_ = true;
  const Result result = answer_of(handle_, PQsendQuery(handle_, "commit"));
  try {
    check(result, {});
  } catch (...) {
    committing_ = false;
    throw;
  }
  committing_ = false;
  in_transaction_ = false;
  if (result.command() == "COMMIT") return;
  throw Error(ErrorKind::conflict,
              std::string(operation_) + " on " + place_ +
                  ": the server rolled the transaction back, because a statement of it had failed; "
                  "run it again",
              {.operation = std::string(operation_)});
}

void Connection::roll_back() noexcept {
  if (!in_transaction_ || !in_own_process()) return;
  in_transaction_ = false;
  if (PQstatus(handle_) != CONNECTION_OK) return;
  PQclear(PQexec(handle_, "rollback"));
}

bool Connection::is_usable() const noexcept {
  return !spoiled_ && PQstatus(handle_) == CONNECTION_OK &&
         PQtransactionStatus(handle_) == PQTRANS_IDLE &&
         PQpipelineStatus(handle_) == PQ_PIPELINE_OFF;
}

bool Connection::was_closed() noexcept {
  // The server's last words, then the end of the stream; but it may also have sent a mere notice.
  constexpr int kReads = 8;
  for (int i = 0; i < kReads; ++i) {
    pollfd socket{PQsocket(handle_), POLLIN, 0};
    if (socket.fd < 0) return true;
    if (::poll(&socket, 1, 0) <= 0) return false;
    if (PQconsumeInput(handle_) == 0) return true;
    PQisBusy(handle_);  // Takes in what was read.
  }
  return true;
}

void Connection::fail(const pg_result* result, std::string_view statement) {
  const char* sqlstate = result == nullptr ? nullptr : PQresultErrorField(result, PG_DIAG_SQLSTATE);
  if (sqlstate != nullptr && spoils_the_session(sqlstate)) spoiled_ = true;
  const Failure failure{
      .operation = operation_, .place = place_, .statement = statement, .stage = stage()};
  throw_failure(handle_, result, failure);
}

void Connection::check(const Result& result, std::string_view statement) {
  if (is_failure(result.handle())) fail(result.handle(), statement);
}

}  // namespace penstock::postgres::detail
