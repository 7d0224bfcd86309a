// Servers for tests.
#include "support/postgres_server.hpp"

#include <libpq-fe.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace penstock::test {
namespace {

std::string script(const std::string& name) { return PENSTOCK_TEST_SUPPORT_FOLDER "/" + name; }

std::vector<std::string> run_command(const std::vector<std::string>& settings) {
  std::vector<std::string> command{script("postgres_server.sh"), "run"};
  command.insert(command.end(), settings.begin(), settings.end());
  return command;
}

std::string socket_url(const std::string& folder, int port, const std::string& options) {
  return "postgresql://postgres@/postgres?host=" + folder + "&port=" + std::to_string(port) +
         (options.empty() ? "" : "&" + options);
}

/// The folder that the test runner's fixture wrote down; empty where it did not run.
std::string folder_of_fixture() {
  const char* file = std::getenv("PENSTOCK_TEST_POSTGRES_FILE");
  std::string folder;
  if (file == nullptr || !std::getline(std::ifstream(file), folder)) return {};
  return std::filesystem::exists(folder + "/.s.PGSQL.5433") ? folder : std::string{};
}

}  // namespace

PostgresServer::PostgresServer(const std::vector<std::string>& settings)
    : program_(run_command(settings)) {}

std::string PostgresServer::url(const std::string& options) const {
  return server_url(folder(), options);
}

void PostgresServer::kill() { run_program({script("postgres_server.sh"), "kill", folder()}); }

void PostgresServer::start() { run_program({script("postgres_server.sh"), "start", folder()}); }

const std::string& shared_server() {
  static const std::string fixture = folder_of_fixture();
  if (!fixture.empty()) return fixture;
  static const PostgresServer own;
  return own.folder();
}

std::string server_url(const std::string& folder, const std::string& options) {
  return socket_url(folder, 5433, options);
}

PgBouncer::PgBouncer(const std::string& server_folder)
    : program_({script("pgbouncer.sh"), server_folder}) {}

std::string PgBouncer::url(const std::string& options) const {
  return socket_url(program_.first_line(), 6433, options);
}

TestSchema::TestSchema(std::string server) : server_(std::move(server)) {
  static std::atomic<int> count = 0;
  name_ = "test_" + std::to_string(::getpid()) + "_" + std::to_string(++count);
  ask("drop schema if exists " + name_ + " cascade");
}

TestSchema::~TestSchema() {
  try {
    ask("drop schema if exists " + name_ + " cascade");
  } catch (const std::runtime_error&) {
    // The server may be gone by intention; then so is the schema.
  }
}

std::string TestSchema::ask(const std::string& sql) const { return Session(url()).ask(sql); }

Session::Session(const std::string& url) : handle_(PQconnectdb(url.c_str())) {
  PQsetNoticeProcessor(handle_, [](void*, const char*) {}, nullptr);
  if (PQstatus(handle_) == CONNECTION_OK) return;
  const std::string problem = PQerrorMessage(handle_);
  PQfinish(handle_);
  throw std::runtime_error(problem);
}

Session::~Session() { PQfinish(handle_); }

std::string Session::ask(const std::string& sql) const {
  PGresult* result = PQexec(handle_, sql.c_str());
  const ExecStatusType status = PQresultStatus(result);
  std::string answer;
  if (status == PGRES_TUPLES_OK && PQntuples(result) > 0) answer = PQgetvalue(result, 0, 0);
  const std::string problem = PQresultErrorMessage(result);
  PQclear(result);
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) throw std::runtime_error(problem);
  return answer;
}

}  // namespace penstock::test
