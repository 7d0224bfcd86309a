// PostgreSQL's binary formats: how a C++ value becomes a parameter, and an array is read.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/clock.hpp"
#include "penstock/ids.hpp"

namespace penstock::postgres::detail {

/// Bytes, as bytea.
struct Bytes {
  std::string_view bytes;
};

/// A JSON text, as jsonb.
struct Json {
  std::string_view text;
};

namespace oid {
inline constexpr unsigned kBool = 16, kBytea = 17, kInt8 = 20, kInt2 = 21, kInt4 = 23, kText = 25,
                          kFloat8 = 701, kTimestamptz = 1184, kUuid = 2950, kJson = 114,
                          kJsonb = 3802, kVarchar = 1043, kName = 19, kNumeric = 1700;
inline constexpr unsigned kBoolArray = 1000, kByteaArray = 1001, kInt2Array = 1005,
                          kInt4Array = 1007, kFloat8Array = 1022, kTextArray = 1009,
                          kInt8Array = 1016, kTimestamptzArray = 1185, kUuidArray = 2951,
                          kJsonbArray = 3807;
}  // namespace oid

/// PostgreSQL counts time from 2000-01-01.
inline constexpr std::int64_t kEpochMicros = 946'684'800'000'000;

/// The lowest `bytes` bytes of `value`, in network order.
void append_integer(std::string& out, std::uint64_t value, int bytes);

/// An integer of 2, 4 or 8 bytes in network order.
[[nodiscard]] std::int64_t read_integer(std::string_view bytes);

/// How a value of type T is written. The C++ types that may be parameters are those below.
template <typename T>
struct Wire;

template <unsigned type, unsigned array, int size, typename T>
struct IntegerWire {
  static constexpr unsigned kType = type;
  static constexpr unsigned kArray = array;
  static void append(std::string& out, T value) {
    append_integer(out, static_cast<std::uint64_t>(value), size);
  }
};

template <>
struct Wire<bool> : IntegerWire<oid::kBool, oid::kBoolArray, 1, bool> {};
template <>
struct Wire<std::int16_t> : IntegerWire<oid::kInt2, oid::kInt2Array, 2, std::int16_t> {};
template <>
struct Wire<std::int32_t> : IntegerWire<oid::kInt4, oid::kInt4Array, 4, std::int32_t> {};
template <>
struct Wire<std::int64_t> : IntegerWire<oid::kInt8, oid::kInt8Array, 8, std::int64_t> {};
template <>
struct Wire<std::size_t> : IntegerWire<oid::kInt8, oid::kInt8Array, 8, std::size_t> {};

template <>
struct Wire<double> {
  static constexpr unsigned kType = oid::kFloat8;
  static constexpr unsigned kArray = oid::kFloat8Array;
  static void append(std::string& out, double value) {
    append_integer(out, std::bit_cast<std::uint64_t>(value), 8);
  }
};

/// A bigint of microseconds.
template <>
struct Wire<Duration> {
  static constexpr unsigned kType = oid::kInt8;
  static constexpr unsigned kArray = oid::kInt8Array;
  static void append(std::string& out, Duration value) {
    append_integer(out, static_cast<std::uint64_t>(value.count()), 8);
  }
};

template <>
struct Wire<Timestamp> {
  static constexpr unsigned kType = oid::kTimestamptz;
  static constexpr unsigned kArray = oid::kTimestamptzArray;
  static void append(std::string& out, Timestamp value) {
    append_integer(out, static_cast<std::uint64_t>(value.time_since_epoch().count() - kEpochMicros),
                   8);
  }
};

template <>
struct Wire<std::string_view> {
  static constexpr unsigned kType = oid::kText;
  static constexpr unsigned kArray = oid::kTextArray;
  static void append(std::string& out, std::string_view value) { out.append(value); }
};
template <>
struct Wire<std::string> : Wire<std::string_view> {};
template <>
struct Wire<const char*> : Wire<std::string_view> {};

template <>
struct Wire<Bytes> {
  static constexpr unsigned kType = oid::kBytea;
  static constexpr unsigned kArray = oid::kByteaArray;
  static void append(std::string& out, Bytes value) { out.append(value.bytes); }
};

template <>
struct Wire<Json> {
  static constexpr unsigned kType = oid::kJsonb;
  static constexpr unsigned kArray = oid::kJsonbArray;
  static void append(std::string& out, Json value) { (out += '\1').append(value.text); }
};

template <>
struct Wire<EventId> {
  static constexpr unsigned kType = oid::kUuid;
  static constexpr unsigned kArray = oid::kUuidArray;
  static void append(std::string& out, const EventId& value) {
    for (const std::uint8_t byte : value.bytes()) out += static_cast<char>(byte);
  }
};

/// The elements of a one-dimensional array; an absent one is NULL. Views into `bytes`.
///
/// Throws: internal, where `bytes` is no such array.
[[nodiscard]] std::vector<std::optional<std::string_view>> read_array(std::string_view bytes);

}  // namespace penstock::postgres::detail
