// Rows on their way to a table.
#include "store/postgres/copy.hpp"

#include <libpq-fe.h>

#include "base/invariant.hpp"

namespace penstock::postgres::detail {
namespace {

// The signature, no flags, no extension of the header.
constexpr std::string_view kHeader{"PGCOPY\n\xFF\r\n\0\0\0\0\0\0\0\0\0", 19};

/// The answer to a COPY that has ended: its failure, if there is one.
Result end_of(PGconn* handle) {
  PGresult* answer = PQgetResult(handle);
  while (PGresult* more = PQgetResult(handle)) PQclear(more);
  return Result(answer);
}

}  // namespace

CopyIn::CopyIn(Connection& connection, const SqlText& sql) : connection_(connection), sql_(sql) {
  PGconn* handle = connection_.handle();
  connection_.count_statement();
  if (PQsendQuery(handle, connection_.text_of(sql_).c_str()) == 0) {
    connection_.fail(nullptr, sql_.name);
  }
  const Result answer(PQgetResult(handle));
  if (PQresultStatus(answer.handle()) != PGRES_COPY_IN) {
    while (PGresult* more = PQgetResult(handle)) PQclear(more);
    connection_.fail(answer.handle(), sql_.name);
  }
  open_ = true;
  buffer_ = kHeader;
}

CopyIn::~CopyIn() {
  if (!open_) return;
  PQputCopyEnd(connection_.handle(), "called off");
  static_cast<void>(end_of(connection_.handle()));
}

void CopyIn::set_length(std::size_t at) {
  std::string length;
  append_integer(length, buffer_.size() - at - 4, 4);
  buffer_.replace(at, length.size(), length);
}

void CopyIn::send() {
  const int sent =
      PQputCopyData(connection_.handle(), buffer_.data(), static_cast<int>(buffer_.size()));
  buffer_.clear();
  if (sent == 1) return;
  open_ = false;
  connection_.fail(end_of(connection_.handle()).handle(), sql_.name);
}

void CopyIn::finish() {
  PENSTOCK_INVARIANT(open_);
  append_integer(buffer_, UINT16_MAX, 2);  // No more rows.
  send();
  open_ = false;
  if (PQputCopyEnd(connection_.handle(), nullptr) != 1) connection_.fail(nullptr, sql_.name);
  connection_.check(end_of(connection_.handle()), sql_.name);
}

}  // namespace penstock::postgres::detail
