// Borrowing and giving back.
#include "store/postgres/pool.hpp"

#include "penstock/error.hpp"

namespace penstock::postgres::detail {

Pool::Lease::~Lease() {
  if (connection_) pool_->give_back(std::move(connection_));
}

Pool::Lease Pool::borrow(std::string_view operation, Deadline deadline) {
  std::unique_ptr<Connection> connection;
  {
    base::MutexLock lock(mutex_);
    while (in_use_ >= size_) {
      if (freed_.wait_until(lock, deadline) == std::cv_status::timeout && in_use_ >= size_) {
        throw Error(ErrorKind::unavailable,
                    std::string(operation) + ": all " + std::to_string(size_) +
                        " connections of the pool were in use until the pool's timeout; end "
                        "transactions sooner, or raise pool_size",
                    {.operation = std::string(operation)});
      }
    }
    ++in_use_;
  }
  try {
    for (;;) {
      {
        base::MutexLock lock(mutex_);
        if (idle_.empty()) break;
        connection = std::move(idle_.back());
        idle_.pop_back();
      }
      if (!connection->was_closed()) return Lease{*this, std::move(connection), false};
      connection.reset();
    }
    return Lease{*this, connect_(), true};
  } catch (...) {
    leave();
    throw;
  }
}

void Pool::drop_idle() {
  std::vector<std::unique_ptr<Connection>> dropped;
  base::MutexLock lock(mutex_);
  dropped.swap(idle_);
  // Closing waits for nobody, but it is not done under the lock.
  lock.unlock();
  dropped.clear();
  lock.lock();
}

std::size_t Pool::open_connections() {
  base::MutexLock lock(mutex_);
  return in_use_ + idle_.size();
}

void Pool::give_back(std::unique_ptr<Connection> connection) noexcept {
  if (!connection->is_usable()) connection.reset();
  {
    base::MutexLock lock(mutex_);
    if (connection) idle_.push_back(std::move(connection));
  }
  leave();
}

void Pool::leave() noexcept {
  {
    base::MutexLock lock(mutex_);
    --in_use_;
  }
  freed_.notify_one();
}

}  // namespace penstock::postgres::detail
