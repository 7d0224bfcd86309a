// One prepared statement: binding, stepping, reading columns. Every failure is an Error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "penstock/clock.hpp"

struct sqlite3_stmt;

namespace penstock::sqlite::detail {

class Connection;

/// Bytes to bind without a copy; they must live until the statement is reset.
struct Blob {
  std::string_view bytes;
};

/// Owns a prepared statement. One thread at a time.
class Statement {
 public:
  Statement(Connection& connection, std::string_view name, std::string_view text);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  void bind(int index, std::int64_t value);
  void bind(int index, int value) { bind(index, std::int64_t{value}); }
  void bind(int index, std::size_t value) { bind(index, static_cast<std::int64_t>(value)); }
  void bind(int index, bool value) { bind(index, std::int64_t{value}); }
  void bind(int index, Timestamp value) { bind(index, value.time_since_epoch().count()); }
  void bind(int index, std::string_view text);
  void bind(int index, const std::string& text) { bind(index, std::string_view(text)); }
  void bind(int index, const char* text) { bind(index, std::string_view(text)); }
  void bind(int index, Blob blob);
  void bind(int index, std::nullopt_t);
  template <typename T>
  void bind(int index, const std::optional<T>& value) {
    if (value) {
      bind(index, *value);
    } else {
      bind(index, std::nullopt);
    }
  }

  /// True: there is a row to read.
  [[nodiscard]] bool step();
  void reset() noexcept;
  [[nodiscard]] sqlite3_stmt* handle() const noexcept { return statement_; }

 private:
  void check(int code);
  [[noreturn]] void fail(int code);

  Connection& connection_;
  std::string_view name_;
  sqlite3_stmt* statement_ = nullptr;
};

/// A statement in use: bound on the way in, reset on the way out.
class Query {
 public:
  template <typename... Values>
  explicit Query(Statement& statement, const Values&... values) : statement_(statement) {
    statement_.reset();
    int index = 0;
    (statement_.bind(++index, values), ...);
  }
  ~Query() { statement_.reset(); }
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  [[nodiscard]] bool next() { return statement_.step(); }
  /// Runs a statement whose rows nobody wants.
  void run() {
    while (next()) {
    }
  }

  // Of the current row; columns count from 0. Views live until the next step.
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] Timestamp time(int column) const { return Timestamp{Duration{integer(column)}}; }
  [[nodiscard]] std::string_view text(int column) const;
  [[nodiscard]] std::string_view blob(int column) const;
  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] std::optional<std::string> optional_text(int column) const;
  [[nodiscard]] std::optional<std::int64_t> optional_integer(int column) const;
  [[nodiscard]] std::optional<Timestamp> optional_time(int column) const;

 private:
  Statement& statement_;
};

}  // namespace penstock::sqlite::detail
