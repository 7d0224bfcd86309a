// See connection.hpp. Arrays go in libpq's binary form: quoting them as text would be a cost that
// is not the peer's.
#include "connection.hpp"

#include <arpa/inet.h>
#include <libpq-fe.h>

#include <array>
#include <cstdint>
#include <stdexcept>

namespace penstock::bench {
namespace {

constexpr Oid kText = 25;
constexpr int kBinary = 1;

void append(std::string& to, std::uint32_t number) {
  const std::uint32_t in_network_order = htonl(number);
  to.append(reinterpret_cast<const char*>(&in_network_order), sizeof(in_network_order));
}

std::string text_array(std::span<const Event> events) {
  std::string array;
  array.reserve(20 + events.size() * 264);
  append(array, 1);  // Dimensions.
  append(array, 0);  // No nulls.
  append(array, kText);
  append(array, static_cast<std::uint32_t>(events.size()));
  append(array, 1);  // The first index.
  for (const Event& event : events) {
    append(array, static_cast<std::uint32_t>(event.payload.size()));
    array += event.payload;
  }
  return array;
}

}  // namespace

void FreeResult::operator()(pg_result* result) const noexcept { PQclear(result); }

PeerConnection::PeerConnection(const std::string& url) : connection_(PQconnectdb(url.c_str())) {
  if (PQstatus(connection_) == CONNECTION_OK) {
    PQsetNoticeProcessor(connection_, [](void*, const char*) {}, nullptr);
    return;
  }
  const std::string why = PQerrorMessage(connection_);
  PQfinish(connection_);
  throw std::runtime_error("a peer's session: " + why);
}

PeerConnection::~PeerConnection() { PQfinish(connection_); }

Rows PeerConnection::run(const std::string& sql) {
  return checked(PQexec(connection_, sql.c_str()));
}

void PeerConnection::prepare(const char* name, const std::string& sql) {
  checked(PQprepare(connection_, name, sql.c_str(), 0, nullptr));
}

Rows PeerConnection::run_prepared(const char* name, const std::string& value) {
  const std::array<const char*, 1> values{value.c_str()};
  return checked(PQexecPrepared(connection_, name, 1, values.data(), nullptr, nullptr, 0));
}

Rows PeerConnection::run_prepared(const char* name, std::span<const Event> events) {
  const std::string array = text_array(events);
  const std::array<const char*, 1> values{array.data()};
  const std::array<int, 1> lengths{static_cast<int>(array.size())};
  const std::array<int, 1> formats{kBinary};
  return checked(
      PQexecPrepared(connection_, name, 1, values.data(), lengths.data(), formats.data(), 0));
}

Rows PeerConnection::checked(pg_result* result) {
  Rows rows(result);
  const ExecStatusType status = PQresultStatus(result);
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
    throw std::runtime_error(std::string("a peer's session: ") + PQerrorMessage(connection_));
  }
  return rows;
}

}  // namespace penstock::bench
