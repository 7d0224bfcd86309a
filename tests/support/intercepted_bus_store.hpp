// A store that does something before and after each call of another: fails, waits, counts.
#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "penstock/bus_store.hpp"

namespace penstock::test {

/// Hooks may throw: before a call it then has no effect; after it, it has, but the caller hears of
/// a failure. Set the hooks before threads use the store. Thread-safe as the inner store is.
class InterceptedBusStore final : public BusStore {
 private:
  template <typename Call>
  auto run(std::string_view verb, Call call) {
    before(verb);
    auto result = call();
    after(verb);
    return result;
  }

 public:
  using Hook = std::function<void(std::string_view verb)>;

  explicit InterceptedBusStore(BusStore& inner) : inner_(inner) {}

  Hook before = [](std::string_view) {};
  Hook after = [](std::string_view) {};

  Claimed claim(const ClaimRequest& request) override {
    return run("claim", [&] { return inner_.claim(request); });
  }
  std::vector<Verdict> extend(std::span<const Token> tokens, Duration lease) override {
    return run("extend", [&] { return inner_.extend(tokens, lease); });
  }
  std::vector<Verdict> complete(std::span<const Token> tokens,
                                const Transaction* transaction) override {
    return run("complete", [&] { return inner_.complete(tokens, transaction); });
  }
  std::vector<Verdict> reschedule(std::span<const Reschedule> items) override {
    return run("reschedule", [&] { return inner_.reschedule(items); });
  }
  std::vector<Verdict> bury(std::span<const Bury> items) override {
    return run("bury", [&] { return inner_.bury(items); });
  }
  std::vector<Verdict> release(std::span<const Token> tokens) override {
    return run("release", [&] { return inner_.release(tokens); });
  }
  void relinquish(const WorkerId& worker) override {
    run("relinquish", [&] { return inner_.relinquish(worker), 0; });
  }
  void inherit(const WorkerId& former, const WorkerId& worker,
               std::span<const Token> running) override {
    run("inherit", [&] { return inner_.inherit(former, worker, running), 0; });
  }
  Capabilities capabilities() const override { return inner_.capabilities(); }
  void setup(SetupMode mode) override {
    run("setup", [&] { return inner_.setup(mode), 0; });
  }
  std::vector<Published> publish(std::span<const Event> events,
                                 const Transaction* transaction) override {
    return run("publish", [&] { return inner_.publish(events, transaction); });
  }
  std::unique_ptr<OwnedTransaction> begin() override {
    return run("begin", [&] { return inner_.begin(); });
  }
  void subscribe(const Subscription& subscription) override {
    run("subscribe", [&] { return inner_.subscribe(subscription), 0; });
  }
  Verdict set_subscription_state(std::string_view handler, SubscriptionState state) override {
    return run("set_subscription_state",
               [&] { return inner_.set_subscription_state(handler, state); });
  }
  std::vector<Subscription> subscriptions() override {
    return run("subscriptions", [&] { return inner_.subscriptions(); });
  }
  DeliveryPage list(const ListQuery& query) override {
    return run("list", [&] { return inner_.list(query); });
  }
  std::int64_t requeue(const Selection& selection) override {
    return run("requeue", [&] { return inner_.requeue(selection); });
  }
  std::int64_t bury_selected(const Selection& selection, std::string_view reason) override {
    return run("bury_selected", [&] { return inner_.bury_selected(selection, reason); });
  }
  Purged purge(const Retention& retention, std::size_t limit) override {
    return run("purge", [&] { return inner_.purge(retention, limit); });
  }
  Statistics statistics() override {
    return run("statistics", [&] { return inner_.statistics(); });
  }
  std::unique_ptr<Wakeup> listen() override {
    return run("listen", [&] { return inner_.listen(); });
  }

 private:
  BusStore& inner_;
};

}  // namespace penstock::test
