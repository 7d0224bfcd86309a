// See session.hpp.
#include "harness/session.hpp"

#include <libpq-fe.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>

namespace penstock::bench {
namespace {

[[noreturn]] void fail(PGconn* connection) {
  throw std::runtime_error(std::string("PostgreSQL: ") + PQerrorMessage(connection));
}

}  // namespace

Session::Session(const std::string& url) : connection_(PQconnectdb(url.c_str())) {
  if (PQstatus(connection_) == CONNECTION_OK) {
    PQsetNoticeProcessor(connection_, [](void*, const char*) {}, nullptr);
    ask("set application_name = 'penstock-bench'");  // Not one of the sessions that are measured.
    return;
  }
  const std::string why = PQerrorMessage(connection_);
  PQfinish(connection_);
  throw std::runtime_error("PostgreSQL: " + why);
}

Session::~Session() { PQfinish(connection_); }

std::vector<std::string> Session::row(const std::string& sql) {
  const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(connection_, sql.c_str()),
                                                             &PQclear);
  const ExecStatusType status = PQresultStatus(result.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) fail(connection_);
  std::vector<std::string> values;
  if (status != PGRES_TUPLES_OK || PQntuples(result.get()) == 0) return values;
  for (int i = 0; i < PQnfields(result.get()); ++i) {
    values.emplace_back(PQgetvalue(result.get(), 0, i));
  }
  return values;
}

std::string Session::ask(const std::string& sql) {
  const std::vector<std::string> values = row(sql);
  return values.empty() ? "" : values.front();
}

double Session::number(const std::string& sql) { return std::strtod(ask(sql).c_str(), nullptr); }

}  // namespace penstock::bench
