// The rows of one statement, in binary. Every getter checks the type of its column.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/clock.hpp"
#include "penstock/ids.hpp"

struct pg_result;

namespace penstock::postgres::detail {

class Result;

/// One row; columns count from 0. Lives no longer than its result; so do the views.
///
/// Each getter throws `internal` where the column is of another type or, but for the optional ones,
/// NULL.
class Row {
 public:
  Row(const Result& result, int row) noexcept : result_(&result), row_(row) {}

  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;  ///< int2, int4, int8.
  [[nodiscard]] double real(int column) const;           ///< float8.
  [[nodiscard]] bool boolean(int column) const;
  [[nodiscard]] std::string_view text(int column) const;   ///< text, varchar, name, json, jsonb.
  [[nodiscard]] std::string_view bytes(int column) const;  ///< bytea.
  /// Of a timestamptz; infinity is the end of time.
  [[nodiscard]] Timestamp time(int column) const;
  [[nodiscard]] Duration duration(int column) const { return Duration{integer(column)}; }
  [[nodiscard]] EventId uuid(int column) const;

  [[nodiscard]] std::optional<std::int64_t> optional_integer(int column) const;
  [[nodiscard]] std::optional<std::string> optional_text(int column) const;
  [[nodiscard]] std::optional<Timestamp> optional_time(int column) const;
  [[nodiscard]] std::optional<Duration> optional_duration(int column) const;

  // Arrays without NULLs.
  [[nodiscard]] std::vector<std::int64_t> integers(int column) const;
  [[nodiscard]] std::vector<Timestamp> times(int column) const;
  [[nodiscard]] std::vector<std::string> texts(int column) const;
  [[nodiscard]] std::vector<bool> booleans(int column) const;
  [[nodiscard]] std::vector<EventId> uuids(int column) const;

 private:
  const Result* result_;
  int row_;
};

/// Owns a PGresult. One thread at a time.
class Result {
 public:
  explicit Result(pg_result* result) noexcept;

  [[nodiscard]] int size() const noexcept { return rows_; }
  [[nodiscard]] bool empty() const noexcept { return rows_ == 0; }
  [[nodiscard]] int columns() const noexcept;
  [[nodiscard]] Row operator[](int row) const noexcept { return Row{*this, row}; }
  /// The row of a statement that always gives one. Throws: internal.
  [[nodiscard]] Row only() const;
  /// Rows inserted, updated, deleted or selected.
  [[nodiscard]] std::int64_t affected() const noexcept;
  /// "INSERT 0 1", "COMMIT", ….
  [[nodiscard]] std::string_view command() const noexcept;
  [[nodiscard]] pg_result* handle() const noexcept { return result_.get(); }

  class Iterator {
   public:
    Iterator(const Result& result, int row) noexcept : result_(&result), row_(row) {}
    [[nodiscard]] Row operator*() const noexcept { return Row{*result_, row_}; }
    Iterator& operator++() noexcept {
      ++row_;
      return *this;
    }
    [[nodiscard]] bool operator!=(const Iterator& other) const noexcept {
      return row_ != other.row_;
    }

   private:
    const Result* result_;
    int row_;
  };
  [[nodiscard]] Iterator begin() const noexcept { return {*this, 0}; }
  [[nodiscard]] Iterator end() const noexcept { return {*this, rows_}; }

 private:
  struct Clear {
    void operator()(pg_result* result) const noexcept;
  };
  std::unique_ptr<pg_result, Clear> result_;
  int rows_ = 0;
};

}  // namespace penstock::postgres::detail
