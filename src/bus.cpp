// The bus: wiring between a store, the handlers of this process, and a dispatcher for them.
#include "penstock/bus.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/mutex.hpp"
#include "dispatcher_impl.hpp"
#include "work/check.hpp"

namespace penstock {

class Bus::Impl {
 public:
  Impl(BusStore& store, BusOptions options) : store_(store), options_(options) {}

  BusStore& store() { return store_; }

  /// Sets the store up once; a failure is tried again by the next call.
  void ensure_setup() {
    base::MutexLock lock(setup_mutex_);
    if (is_set_up_) return;
    store_.setup(options_.setup_store ? SetupMode::migrate : SetupMode::check);
    is_set_up_ = true;
  }

  void subscribe(std::string_view name, const TypePatterns& types, Handler handler,
                 HandlerOptions options) {
    Subscription subscription{.handler = std::string(name),
                              .types = types.values(),
                              .max_attempts = options.max_attempts};
    work::check_subscription(subscription);
    if (options.timeout < Duration::zero()) work::refuse("timeout", "timeout must not be negative");
    options.timeout = std::min<Duration>(options.timeout, std::chrono::years{10});
    if (!options.retry_delay) work::refuse("retry_delay", "retry_delay must be a function");
    ensure_setup();
    store_.subscribe(subscription);
    base::MutexLock lock(handlers_mutex_);
    handlers_.insert_or_assign(subscription.handler,
                               Registered{std::move(handler), std::move(options)});
  }

  Verdict unsubscribe(std::string_view name) {
    ensure_setup();
    const Verdict verdict = store_.set_subscription_state(name, SubscriptionState::removed);
    base::MutexLock lock(handlers_mutex_);
    handlers_.erase(std::string(name));
    return verdict;
  }

  Dispatcher start(DispatcherOptions options) {
    ensure_setup();
    DispatcherParts parts{.source = store_};
    {
      base::MutexLock lock(handlers_mutex_);
      for (const auto& [name, registered] : handlers_) {
        parts.routes.push_back(std::make_unique<dispatch::Route>(dispatch::Route{
            .name = name,
            .service = {.handler = registered.handler, .options = registered.options},
            .concurrency = registered.options.concurrency}));
      }
    }
    if (parts.routes.empty()) {
      work::refuse("handlers", "a dispatcher needs at least one handler: call subscribe first");
    }
    parts.begin = [this] { return store_.begin(); };
    parts.listen = [this] { return store_.listen(); };
    parts.purge = [this, retention = options.retention](std::size_t limit) {
      return store_.purge(retention, limit);
    };
    return Dispatcher{std::make_unique<Dispatcher::Impl>(std::move(parts), std::move(options))};
  }

 private:
  struct Registered {
    Handler handler;
    HandlerOptions options;
  };

  BusStore& store_;
  const BusOptions options_;
  base::Mutex setup_mutex_;
  bool is_set_up_ PENSTOCK_GUARDED_BY(setup_mutex_) = false;
  base::Mutex handlers_mutex_;
  std::map<std::string, Registered, std::less<>> handlers_ PENSTOCK_GUARDED_BY(handlers_mutex_);
};

Bus::Bus(BusStore& store, BusOptions options) : impl_(std::make_unique<Impl>(store, options)) {}
Bus::~Bus() = default;

void Bus::setup() { impl_->ensure_setup(); }

void Bus::subscribe(std::string_view name, const TypePatterns& types, Handler handler,
                    HandlerOptions options) {
  impl_->subscribe(name, types, std::move(handler), std::move(options));
}

Verdict Bus::unsubscribe(std::string_view name) { return impl_->unsubscribe(name); }

Published Bus::publish(Event event) { return std::move(publish({&event, 1}).front()); }

std::vector<Published> Bus::publish(std::span<const Event> events) {
  impl_->ensure_setup();
  return impl_->store().publish(events, nullptr);
}

Published Bus::publish(const Transaction& transaction, Event event) {
  return std::move(publish(transaction, {&event, 1}).front());
}

std::vector<Published> Bus::publish(const Transaction& transaction, std::span<const Event> events) {
  return impl_->store().publish(events, &transaction);
}

Dispatcher Bus::start(DispatcherOptions options) { return impl_->start(std::move(options)); }

}  // namespace penstock
