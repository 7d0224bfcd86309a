// Several statements in one round trip.
#pragma once

#include <vector>

#include "store/postgres/connection.hpp"

namespace penstock::postgres::detail {

/// Statements that run in order and, outside of a transaction, as one: all or nothing.
///
/// One thread at a time.
class Pipeline {
 public:
  explicit Pipeline(Connection& connection) : connection_(connection) {}

  template <typename... Values>
  void add(const SqlText& sql, const Values&... values) {
    steps_.push_back({&sql, Parameters::of(values...)});
  }
  void add(const SqlText& sql, Parameters parameters) {
    steps_.push_back({&sql, std::move(parameters)});
  }
  [[nodiscard]] std::size_t size() const noexcept { return steps_.size(); }

  /// Sends everything and waits for all answers, in order. Throws what the first failure means.
  [[nodiscard]] std::vector<Result> finish();

 private:
  struct Step {
    const SqlText* sql;
    Parameters parameters;
    const char* prepared_name = nullptr;
  };
  void send_all();
  void flush();
  [[nodiscard]] std::vector<Result> receive_all();

  Connection& connection_;
  std::vector<Step> steps_;
};

}  // namespace penstock::postgres::detail
