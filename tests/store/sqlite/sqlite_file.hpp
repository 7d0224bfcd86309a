// A database file of its own for each test, stores on it, and a plain connection beside them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "penstock/error.hpp"
#include "penstock/stores/sqlite.hpp"

namespace penstock::test {

/// A folder that goes with the object, and everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::string path(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// A user's own connection.
class PlainConnection {
 public:
  explicit PlainConnection(const std::string& path);
  ~PlainConnection();
  PlainConnection(const PlainConnection&) = delete;
  PlainConnection& operator=(const PlainConnection&) = delete;

  [[nodiscard]] sqlite3* handle() const noexcept { return handle_; }
  /// Fails the test where SQLite refuses.
  void run(const std::string& sql);
  [[nodiscard]] std::int64_t number(const std::string& sql);
  [[nodiscard]] std::vector<std::string> texts(const std::string& sql);

 private:
  sqlite3* handle_ = nullptr;
};

/// A test with one file.
class SqliteFile : public ::testing::Test {
 protected:
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] ManualClock& clock() { return *clock_; }
  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }
  /// Another store on the file, as another process would have one.
  [[nodiscard]] std::unique_ptr<SqliteStore> open(SqliteStoreOptions options = {});
  /// Opens and sets up.
  [[nodiscard]] std::unique_ptr<SqliteStore> set_up(SqliteStoreOptions options = {});

 private:
  TemporaryFolder folder_;
  std::string path_ = folder_.path("orders.db");
  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
};

void subscribe(BusStore& bus, const std::string& handler, const std::string& pattern = "*",
               int max_attempts = 25);
Published publish(BusStore& bus, Event event = {.type = "order.paid"});
[[nodiscard]] Claimed claim(BusStore& bus, const std::string& worker = "worker",
                            std::size_t limit = 10, const std::string& handler = "h");
[[nodiscard]] std::vector<Token> tokens_of(const Claimed& claimed);
[[nodiscard]] std::vector<DeliveryInfo> list(BusStore& bus, const ListQuery& query = {});

/// The Error that `call` throws; empty where it throws none.
[[nodiscard]] std::optional<Error> error_of(const std::function<void()>& call);
[[nodiscard]] std::optional<ErrorKind> kind_of(const std::function<void()>& call);

/// Runs `body` in a child process and answers its exit code: what `body` returns, 99 where it
/// throws.
class Child {
 public:
  explicit Child(const std::function<int()>& body);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  [[nodiscard]] int wait();

 private:
  int process_ = -1;
};

}  // namespace penstock::test
