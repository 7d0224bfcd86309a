// Reading what the server sent.
#include "store/postgres/result.hpp"

#include <libpq-fe.h>

#include <bit>
#include <cstdlib>
#include <initializer_list>
#include <limits>

#include "penstock/error.hpp"
#include "store/postgres/wire.hpp"

namespace penstock::postgres::detail {
namespace {

[[noreturn]] void refuse(const PGresult* result, int column, const std::string& problem) {
  const char* name = PQfname(result, column);
  throw Error(ErrorKind::internal,
              "column " + std::to_string(column) + " (" + (name == nullptr ? "missing" : name) +
                  ") of an answer of the server " + problem + "; please report it");
}

/// The bytes of a value that is not NULL and of one of these types.
std::string_view value_of(const Result& result, int row, int column,
                          std::initializer_list<unsigned> types) {
  const PGresult* handle = result.handle();
  if (column >= result.columns() || row >= result.size()) refuse(handle, column, "does not exist");
  const unsigned type = PQftype(handle, column);
  bool fits = false;
  for (const unsigned one : types) fits = fits || one == type;
  if (!fits) refuse(handle, column, "has type " + std::to_string(type) + ", which is unexpected");
  if (PQgetisnull(handle, row, column) != 0) refuse(handle, column, "is null");
  return {PQgetvalue(handle, row, column),
          static_cast<std::size_t>(PQgetlength(handle, row, column))};
}

EventId uuid_of(std::string_view bytes) {
  EventId::Bytes id{};
  for (std::size_t i = 0; i < id.size(); ++i) id.at(i) = static_cast<std::uint8_t>(bytes.at(i));
  return EventId{id};
}

Timestamp read_time(std::string_view bytes) {
  const std::int64_t since_2000 = read_integer(bytes);
  const bool is_beyond = since_2000 > std::numeric_limits<std::int64_t>::max() - kEpochMicros;
  return is_beyond ? Timestamp::max() : Timestamp{Duration{since_2000 + kEpochMicros}};
}

template <typename Value, typename Read>
std::vector<Value> elements(std::string_view bytes, Read read) {
  std::vector<Value> values;
  for (const auto& element : read_array(bytes)) {
    if (!element) {
      throw Error(ErrorKind::internal,
                  "an array from the server has a null in it; please report it");
    }
    values.push_back(read(*element));
  }
  return values;
}

}  // namespace

bool Row::is_null(int column) const { return PQgetisnull(result_->handle(), row_, column) != 0; }

std::int64_t Row::integer(int column) const {
  return read_integer(value_of(*result_, row_, column, {oid::kInt8, oid::kInt4, oid::kInt2}));
}

double Row::real(int column) const {
  return std::bit_cast<double>(read_integer(value_of(*result_, row_, column, {oid::kFloat8})));
}

bool Row::boolean(int column) const {
  return value_of(*result_, row_, column, {oid::kBool}) == std::string_view("\1", 1);
}

std::string_view Row::text(int column) const {
  std::string_view value = value_of(
      *result_, row_, column, {oid::kText, oid::kVarchar, oid::kName, oid::kJson, oid::kJsonb});
  // jsonb is sent as its version and its text.
  if (PQftype(result_->handle(), column) == oid::kJsonb) value.remove_prefix(1);
  return value;
}

std::string_view Row::bytes(int column) const {
  return value_of(*result_, row_, column, {oid::kBytea});
}

Timestamp Row::time(int column) const {
  return read_time(value_of(*result_, row_, column, {oid::kTimestamptz}));
}

EventId Row::uuid(int column) const {
  return uuid_of(value_of(*result_, row_, column, {oid::kUuid}));
}

std::optional<std::int64_t> Row::optional_integer(int column) const {
  if (is_null(column)) return std::nullopt;
  return integer(column);
}

std::optional<std::string> Row::optional_text(int column) const {
  if (is_null(column)) return std::nullopt;
  return std::string(text(column));
}

std::optional<Timestamp> Row::optional_time(int column) const {
  if (is_null(column)) return std::nullopt;
  return time(column);
}

std::optional<Duration> Row::optional_duration(int column) const {
  if (is_null(column)) return std::nullopt;
  return duration(column);
}

std::vector<Timestamp> Row::times(int column) const {
  return elements<Timestamp>(value_of(*result_, row_, column, {oid::kTimestamptzArray}), read_time);
}

std::vector<std::int64_t> Row::integers(int column) const {
  return elements<std::int64_t>(
      value_of(*result_, row_, column, {oid::kInt8Array, oid::kInt4Array, oid::kInt2Array}),
      read_integer);
}

std::vector<std::string> Row::texts(int column) const {
  return elements<std::string>(value_of(*result_, row_, column, {oid::kTextArray}),
                               [](std::string_view bytes) { return std::string(bytes); });
}

std::vector<bool> Row::booleans(int column) const {
  return elements<bool>(value_of(*result_, row_, column, {oid::kBoolArray}),
                        [](std::string_view bytes) { return read_integer(bytes) != 0; });
}

std::vector<EventId> Row::uuids(int column) const {
  return elements<EventId>(value_of(*result_, row_, column, {oid::kUuidArray}), uuid_of);
}

void Result::Clear::operator()(pg_result* result) const noexcept { PQclear(result); }

Result::Result(pg_result* result) noexcept : result_(result), rows_(PQntuples(result)) {}

int Result::columns() const noexcept { return PQnfields(result_.get()); }

Row Result::only() const {
  if (rows_ == 1) return Row{*this, 0};
  throw Error(ErrorKind::internal, "expected one row from the server, found " +
                                       std::to_string(rows_) + "; please report it");
}

std::int64_t Result::affected() const noexcept {
  return std::strtoll(PQcmdTuples(result_.get()), nullptr, 10);
}

std::string_view Result::command() const noexcept { return PQcmdStatus(result_.get()); }

}  // namespace penstock::postgres::detail
