// Failures. Outcomes that a correct program meets every day are values, not errors.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace penstock {

/// What the caller should do next.
enum class ErrorKind {
  unavailable,  ///< No connection, or a timeout: try again later.
  conflict,     ///< Serialization, deadlock or busy: run the whole transaction again.
  in_doubt,     ///< The commit may have happened: ask, or publish again with the same id.
  schema,       ///< Missing, older or newer tables: run `penstock setup`, or upgrade the program.
  usage,        ///< The call was wrong: fix the program. Nothing was written.
  internal,     ///< An invariant of penstock broke: report it. The dispatcher stops claiming.
};

/// "unavailable", "conflict", … as printed by the command line.
[[nodiscard]] std::string_view to_string(ErrorKind kind) noexcept;

/// The one class that penstock throws. Messages never contain payloads or secrets.
///
/// Threads: immutable.
class Error final : public std::runtime_error {
 public:
  /// Facts beside the message; each is empty where it does not apply.
  struct Details {
    std::string operation{};             ///< What was being done: "publish", "claim", ….
    std::string store_code{};            ///< SQLSTATE, SQLite or MongoDB code.
    std::string field{};                 ///< usage: the argument that was refused.
    std::optional<std::size_t> limit{};  ///< usage: the limit it broke, in bytes.
  };

  Error(ErrorKind kind, const std::string& message) : Error(kind, message, Details{}) {}
  Error(ErrorKind kind, const std::string& message, Details details)
      : std::runtime_error(message), kind_(kind), details_(std::move(details)) {}

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }
  [[nodiscard]] const std::string& operation() const noexcept { return details_.operation; }
  [[nodiscard]] const std::string& store_code() const noexcept { return details_.store_code; }
  [[nodiscard]] const std::string& field() const noexcept { return details_.field; }
  [[nodiscard]] std::optional<std::size_t> limit() const noexcept { return details_.limit; }

 private:
  ErrorKind kind_;
  Details details_;
};

}  // namespace penstock
