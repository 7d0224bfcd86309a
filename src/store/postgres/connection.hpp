// One connection to the server: our own, or the caller's, borrowed. Sends statements in binary and
// keeps what it prepared; a new connection starts with nothing prepared.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "penstock/log.hpp"
#include "store/postgres/error_table.hpp"
#include "store/postgres/names.hpp"
#include "store/postgres/parameters.hpp"
#include "store/postgres/result.hpp"
#include "store/postgres/sql_text.hpp"

struct pg_conn;

namespace penstock::postgres::detail {

class Target;

/// Whether statements are prepared under a name, or sent whole each time: through a pooler, and on
/// a caller's connection, which is left as it was.
enum class Preparing { named, never };

/// One thread at a time. In a child process after fork it is dead, and leaves the socket alone.
class Connection {
 public:
  /// Connects. Throws: unavailable.
  Connection(const Target& target, const Names& names, Preparing preparing, Log log);
  /// Borrows a connection of the caller: changes none of its settings, and leaves it open.
  Connection(pg_conn* borrowed, const Names& names);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] pg_conn* handle() const noexcept { return handle_; }
  [[nodiscard]] const Names& names() const noexcept { return names_; }
  [[nodiscard]] Preparing preparing() const noexcept { return preparing_; }
  void set_preparing(Preparing preparing) noexcept { preparing_ = preparing; }

  /// Names the call in messages. `alone`: what is known of a statement outside of a transaction
  /// whose answer never comes.
  void begin_operation(std::string_view operation, Stage alone);

  /// Runs the statement of an SQL file: one round trip.
  template <typename... Values>
  Result query(const SqlText& sql, const Values&... values) {
    return send(sql, Parameters::of(values...));
  }
  /// The same, for the number of rows that it wrote.
  template <typename... Values>
  std::int64_t run(const SqlText& sql, const Values&... values) {
    return send(sql, Parameters::of(values...)).affected();
  }
  Result send(const SqlText& sql, const Parameters& parameters);
  /// A statement that was put together for this one call.
  Result send_text(std::string_view name, const std::string& text, const Parameters& parameters);

  /// Runs SQL without parameters: a line, or a script.
  void execute(const std::string& sql);

  void begin(const char* how = "begin isolation level read committed");
  /// Throws `conflict` where the server rolled back instead.
  void commit();
  void roll_back() noexcept;
  /// Throws where it is not a transaction of a caller, open and in order, that text can be sent in.
  void check_can_join() const;

  /// Counts a statement that is about to be sent, and sees that none of a call that must be atomic
  /// is sent after another without a transaction around them.
  void count_statement();

  /// Whether it can serve another call.
  [[nodiscard]] bool is_usable() const noexcept;
  /// Whether the server has closed it meanwhile: looks at the socket, sends nothing.
  [[nodiscard]] bool was_closed() noexcept;
  void spoil() noexcept { spoiled_ = true; }

  [[nodiscard]] bool schema_was_checked() const noexcept { return schema_was_checked_; }
  void set_schema_checked(bool checked) noexcept { schema_was_checked_ = checked; }

  /// Makes sure that `sql` is prepared, where statements are: for a pipeline. The statement's name,
  /// or null where its text has to be sent.
  [[nodiscard]] const char* prepared(const SqlText& sql, const Parameters& parameters);
  [[nodiscard]] const std::string& text_of(const SqlText& sql);

  /// Throws what a failed call means. `result` may be null.
  [[noreturn]] void fail(const pg_result* result, std::string_view statement);
  /// Throws where `result` is a failure.
  void check(const Result& result, std::string_view statement);

 private:
  struct Statement {
    std::string name;
    std::string text;
    bool prepared = false;
  };
  Statement& statement(const SqlText& sql);
  [[nodiscard]] Stage stage() const noexcept;
  [[nodiscard]] bool in_own_process() const noexcept;

  const Names& names_;
  const std::string place_;
  const pid_t process_;
  pg_conn* handle_ = nullptr;
  const bool owned_;
  Preparing preparing_;
  Log log_;
  bool spoiled_ = false;
  bool in_transaction_ = false;  ///< By what we sent; of a lost connection nothing else tells.
  bool committing_ = false;
  int lone_statements_ = 0;
  bool schema_was_checked_ = false;
  std::string_view operation_ = "open";
  Stage alone_ = Stage::undone;
  std::unordered_map<const char*, Statement> statements_;
};

}  // namespace penstock::postgres::detail
