// COPY into a table, in binary: the fastest way in for many rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/postgres/connection.hpp"

namespace penstock::postgres::detail {

/// Rows on their way to a table, in a transaction. Not finished, it is called off, and with it the
/// transaction.
///
/// One thread at a time. Lives no longer than the connection.
class CopyIn {
 public:
  /// Begins. `sql` is a COPY … FROM STDIN (FORMAT binary).
  CopyIn(Connection& connection, const SqlText& sql);
  ~CopyIn();
  CopyIn(const CopyIn&) = delete;
  CopyIn& operator=(const CopyIn&) = delete;

  /// Adds a row; an absent value is NULL. The types are those of the columns that `sql` names.
  template <typename... Values>
  void add(const Values&... values) {
    append_integer(buffer_, sizeof...(values), 2);
    (append(values), ...);
    if (buffer_.size() >= kPieceBytes) send();
  }

  /// Waits until the server has all rows. Throws what a failure means.
  void finish();

 private:
  static constexpr std::size_t kPieceBytes = std::size_t{256} * 1024;

  template <typename T>
  void append(const T& value) {
    const std::size_t at = buffer_.size();
    append_integer(buffer_, 0, 4);
    Wire<T>::append(buffer_, value);
    set_length(at);
  }
  template <typename T>
  void append(const std::optional<T>& value) {
    if (value) {
      append(*value);
    } else {
      append_integer(buffer_, UINT32_MAX, 4);
    }
  }
  /// Writes how much was appended since the length field at `at`.
  void set_length(std::size_t at);
  void send();

  Connection& connection_;
  const SqlText& sql_;
  std::string buffer_;
  bool open_ = false;
};

}  // namespace penstock::postgres::detail
