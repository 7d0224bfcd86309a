// Sending without waiting, and reading meanwhile, so that neither side blocks on a full socket.
#include "store/postgres/pipeline.hpp"

#include <libpq-fe.h>
#include <poll.h>

#include <optional>

namespace penstock::postgres::detail {
namespace {

/// The connection in pipeline mode, for a scope. One that cannot leave the mode is not used again.
class Mode {
 public:
  explicit Mode(Connection& connection) : connection_(connection) {
    if (PQenterPipelineMode(connection_.handle()) == 0 ||
        PQsetnonblocking(connection_.handle(), 1) != 0) {
      connection_.spoil();
      connection_.fail(nullptr, "pipeline");
    }
  }
  ~Mode() {
    PQsetnonblocking(connection_.handle(), 0);
    if (PQexitPipelineMode(connection_.handle()) == 0) connection_.spoil();
  }
  Mode(const Mode&) = delete;
  Mode& operator=(const Mode&) = delete;

 private:
  Connection& connection_;
};

}  // namespace

std::vector<Result> Pipeline::finish() {
  if (steps_.empty()) return {};
  for (Step& step : steps_) {
    step.prepared_name = connection_.prepared(*step.sql, step.parameters);
  }
  connection_.count_statement();
  std::vector<Result> results;
  {
    const Mode mode(connection_);
    send_all();
    results = receive_all();
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    connection_.check(results[i], steps_.at(i).sql->name);
  }
  steps_.clear();
  return results;
}

void Pipeline::send_all() {
  PGconn* handle = connection_.handle();
  for (const Step& step : steps_) {
    const std::vector<const char*> values = step.parameters.values();
    const Parameters& given = step.parameters;
    const int sent =
        step.prepared_name != nullptr
            ? PQsendQueryPrepared(handle, step.prepared_name, given.count(), values.data(),
                                  given.lengths(), given.formats(), 1)
            : PQsendQueryParams(handle, connection_.text_of(*step.sql).c_str(), given.count(),
                                given.types(), values.data(), given.lengths(), given.formats(), 1);
    if (sent == 0) connection_.fail(nullptr, step.sql->name);
    flush();
  }
  if (PQpipelineSync(handle) == 0) connection_.fail(nullptr, "pipeline");
  flush();
}

void Pipeline::flush() {
  PGconn* handle = connection_.handle();
  for (;;) {
    const int left = PQflush(handle);
    if (left == 0) return;
    if (left < 0) connection_.fail(nullptr, "pipeline");
    pollfd socket{PQsocket(handle), POLLIN | POLLOUT, 0};
    ::poll(&socket, 1, -1);
    if ((socket.revents & POLLIN) != 0 && PQconsumeInput(handle) == 0) {
      connection_.fail(nullptr, "pipeline");
    }
  }
}

std::vector<Result> Pipeline::receive_all() {
  PGconn* handle = connection_.handle();
  std::vector<Result> results;
  std::optional<Result> lost;
  while (results.size() < steps_.size() && !lost) {
    Result result(PQgetResult(handle));
    if (result.handle() == nullptr || PQstatus(handle) != CONNECTION_OK) {
      lost = std::move(result);
      break;
    }
    results.push_back(std::move(result));
    while (PGresult* more = PQgetResult(handle)) PQclear(more);
  }
  if (lost) connection_.fail(lost->handle(), "pipeline");
  PQclear(PQgetResult(handle));  // The answer to the sync.
  // After a failure the others are skipped; the first one tells why.
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (PQresultStatus(results[i].handle()) == PGRES_FATAL_ERROR) {
      connection_.fail(results[i].handle(), steps_.at(i).sql->name);
    }
  }
  return results;
}

}  // namespace penstock::postgres::detail
