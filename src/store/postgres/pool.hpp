// A bounded set of connections. Nothing is asked of the server when one is borrowed; one that
// broke is thrown away when it is given back.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "base/mutex.hpp"
#include "store/postgres/connection.hpp"

namespace penstock::postgres::detail {

/// Thread-safe.
class Pool {
 public:
  using Connect = std::function<std::unique_ptr<Connection>()>;
  using Deadline = std::chrono::steady_clock::time_point;

  Pool(std::size_t size, Connect connect) : size_(size), connect_(std::move(connect)) {}
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// A borrowed connection, given back at the end of its scope.
  class Lease {
   public:
    Lease(Pool& pool, std::unique_ptr<Connection> connection, bool fresh) noexcept
        : pool_(&pool), connection_(std::move(connection)), fresh_(fresh) {}
    ~Lease();
    Lease(Lease&& other) noexcept = default;
    Lease& operator=(Lease&&) = delete;

    [[nodiscard]] Connection& operator*() const noexcept { return *connection_; }
    [[nodiscard]] Connection* operator->() const noexcept { return connection_.get(); }
    /// Whether it was opened for this lease: then a failure is not that of an old socket.
    [[nodiscard]] bool is_fresh() const noexcept { return fresh_; }

   private:
    Pool* pool_;
    std::unique_ptr<Connection> connection_;
    bool fresh_;
  };

  /// Waits for a free one until `deadline`. Throws: unavailable.
  [[nodiscard]] Lease borrow(std::string_view operation, Deadline deadline);

  /// Closes those that nobody uses: after a failure that probably hit all of them.
  void drop_idle();
  [[nodiscard]] std::size_t open_connections();

 private:
  void give_back(std::unique_ptr<Connection> connection) noexcept;
  void leave() noexcept;

  const std::size_t size_;
  const Connect connect_;
  base::Mutex mutex_;
  base::Condition freed_;
  std::vector<std::unique_ptr<Connection>> idle_ PENSTOCK_GUARDED_BY(mutex_);
  std::size_t in_use_ PENSTOCK_GUARDED_BY(mutex_) = 0;
};

}  // namespace penstock::postgres::detail
