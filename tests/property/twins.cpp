// The commands, and the comparison after each.
#include "property/twins.hpp"

#include <algorithm>
#include <ostream>
#include <sstream>

namespace penstock::property {

using contract::ClaimWish;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t kSubject = 0;
constexpr std::size_t kReference = 1;
const std::vector<std::string> kHandlers = {"h0", "h1", "h2"};
const std::vector<std::string> kWorkers = {"worker-a", "worker-b"};
const std::vector<std::string> kTypes = {"order.paid", "order.sent", "refund"};

std::string describe(const DeliveryInfo& info, Timestamp now) {
  const bool is_open =
      info.status == DeliveryStatus::pending || info.status == DeliveryStatus::in_flight;
  std::ostringstream out;
  out << to_string(info.status) << " attempts " << info.attempts << " type " << info.type << " key "
      << info.key.value_or("-") << " lane " << info.lane.value << " created "
      << info.created_at.time_since_epoch().count() << " error '" << info.last_error << "'";
  // How long ago something became due, and the mark of the dead, nobody can tell from outside.
  if (is_open) out << " suspect " << info.suspect;
  if (info.status == DeliveryStatus::pending) {
    out << " due in " << std::max(info.available_at - now, Duration{0}).count();
  }
  if (!is_open) out << " updated " << info.updated_at.time_since_epoch().count();
  if (info.lease_owner) {
    out << " at " << *info.lease_owner << " until "
        << info.lease_expires_at->time_since_epoch().count();
  }
  return out.str();
}

std::map<Name, std::string> described(const std::vector<DeliveryInfo>& items, Timestamp now) {
  std::map<Name, std::string> all;
  for (const DeliveryInfo& info : items) {
    all[{info.event_id, info.handler}] += describe(info, now) + "; ";
  }
  return all;
}

/// The events of each handler and key in the order of their sequence.
std::map<std::string, std::vector<EventId>> orders(std::vector<DeliveryInfo> items) {
  std::ranges::sort(items, {}, [](const DeliveryInfo& info) { return info.sequence.value_or(0); });
  std::map<std::string, std::vector<EventId>> all;
  for (const DeliveryInfo& info : items) {
    const bool has_place = info.key && info.status != DeliveryStatus::completed;
    if (has_place) all[info.handler + "/" + *info.key].push_back(info.event_id);
  }
  return all;
}

std::string summary(const Statistics& statistics) {
  std::ostringstream out;
  out << "events " << statistics.events << " takeovers " << statistics.takeovers;
  for (const auto& [name, one] : statistics.handlers) {
    if (one.pending + one.in_flight + one.dead + one.completed == 0) continue;
    out << "; " << name << " pending " << one.pending << " due " << one.due << " in flight "
        << one.in_flight << " dead " << one.dead << " completed " << one.completed;
  }
  return out.str();
}

std::string summary(const std::vector<Subscription>& subscriptions) {
  std::ostringstream out;
  for (const Subscription& one : subscriptions) {
    out << one.handler << " " << one.types.at(0) << " " << one.max_attempts << " " << one.paused
        << "; ";
  }
  return out.str();
}

std::string summary(const std::vector<Published>& published) {
  std::ostringstream out;
  for (const Published& one : published) {
    std::vector<std::string> handlers = one.handlers;
    std::ranges::sort(handlers);
    out << one.id.to_string() << (one.status == PublishStatus::created ? " new" : " known");
    for (const std::string& handler : handlers) out << " " << handler;
    out << "; ";
  }
  return out.str();
}

Name name_of(const Work& work) { return {*work.event->id, work.handler}; }

}  // namespace

void showValue(const Step& step, std::ostream& out) {
  out << "{" << step.kind << ", " << step.a << ", " << step.b << ", " << step.c << "}";
}

Twins::Twins(const contract::StoreUnderTest& subject, const contract::StoreUnderTest& reference) {
  stores_[kSubject] = subject.make(clock_, {.completion_history = true});
  stores_[kReference] = reference.make(clock_, {.completion_history = true});
  for (BusStore* store : {&bus(kSubject), &bus(kReference)}) {
    store->subscribe({.handler = "h0", .types = {"*"}, .max_attempts = 2});
    store->subscribe({.handler = "h1", .types = {"order.*"}, .max_attempts = 2});
  }
}

template <typename Answer>
Answer Twins::both(const std::string& what, const std::function<Answer(std::size_t side)>& ask) {
  const Answer subject = ask(kSubject);
  const Answer reference = ask(kReference);
  if (subject == reference) return subject;
  std::ostringstream out;
  out << what << ": the store says " << ::testing::PrintToString(subject) << ", the reference says "
      << ::testing::PrintToString(reference);
  throw Mismatch(out.str());
}

void Twins::take(const Step& step) {
  switch (step.kind % 24) {
    case 0:
    case 1:
    case 2:
    case 3: publish(step); break;
    case 4: publish_in_transaction(step); break;
    case 5: subscribe(step); break;
    case 6: change_subscription(step); break;
    case 7:
    case 8:
    case 9:
    case 10:
    case 11:
    case 12: claim(step); break;
    case 13:
    case 14:
    case 15:
    case 16:
    case 17: finish(step); break;
    case 18: finish_in_transaction(step); break;
    case 19: operate(step); break;
    case 20:
      step.c % 2 == 0 ? relinquish(kWorkers[step.a % kWorkers.size()]) : inherit(step);
      break;
    case 21:
    case 22: advance(step); break;
    default: step.a % 2 == 0 ? purge() : stores_[kSubject]->reopen(); break;
  }
  compare();
}

void Twins::relinquish(const std::string& worker) {
  for (BusStore* store : {&bus(kSubject), &bus(kReference)}) store->relinquish(WorkerId{worker});
}

/// One worker goes on as the other, and forgets some of what it runs.
void Twins::inherit(const Step& step) {
  const std::string& former = kWorkers[step.a % kWorkers.size()];
  const std::string& worker = kWorkers[(step.a + 1) % kWorkers.size()];
  std::array<std::vector<Token>, 2> running;
  for (std::size_t i = 0; i < attempts_.size(); ++i) {
    if (attempts_[i].worker != former || (step.b + i) % 3 == 0) continue;
    attempts_[i].worker = worker;
    for (const std::size_t side : {kSubject, kReference}) {
      running[side].push_back(attempts_[i].tokens[side]);
    }
  }
  for (const std::size_t side : {kSubject, kReference}) {
    bus(side).inherit(WorkerId{former}, WorkerId{worker}, running[side]);
  }
  // Leases that run nothing are each store's own affair.
  relinquish(worker);
}

void Twins::note_published(const std::vector<Published>& published) {
  for (const Published& one : published) {
    for (const std::string& handler : one.handlers) ++made_[{one.id, handler}];
  }
}

void Twins::publish(const Step& step) {
  std::vector<Event> batch;
  for (unsigned i = 0; i <= step.b % 3; ++i) {
    if (step.c % 5 == 0 && !events_.empty()) {
      batch.push_back(events_[(step.a + i) % events_.size()]);
      continue;
    }
    Event event{.type = kTypes[(step.a + i) % kTypes.size()],
                .id = contract::event_id(++last_event_)};
    const unsigned key = (step.c + i) % 5;
    if (key > 1) event.key = "key-" + std::to_string(key);
    events_.push_back(event);
    batch.push_back(std::move(event));
  }
  std::vector<Published> published;
  both<std::string>("publish", [&](std::size_t side) {
    published = bus(side).publish(batch, nullptr);
    return summary(published);
  });
  note_published(published);
}

void Twins::publish_in_transaction(const Step& step) {
  Event event{.type = kTypes[step.a % kTypes.size()], .id = contract::event_id(++last_event_)};
  if (step.c % 2 == 0) event.key = "key-2";
  const bool commits = step.b % 2 == 0;
  std::vector<Published> published;
  both<std::string>("publish in a transaction", [&](std::size_t side) {
    const auto transaction = bus(side).begin();
    published = bus(side).publish({&event, 1}, transaction.get());
    if (commits) transaction->commit();
    return summary(published);
  });
  if (!commits) return;
  note_published(published);
  events_.push_back(std::move(event));
}

void Twins::subscribe(const Step& step) {
  const std::vector<std::string> patterns = {"*", "order.*", "refund"};
  for (BusStore* store : {&bus(kSubject), &bus(kReference)}) {
    store->subscribe({.handler = kHandlers[step.a % kHandlers.size()],
                      .types = {patterns[step.b % patterns.size()]},
                      .max_attempts = 1 + static_cast<int>(step.c % 3)});
  }
}

void Twins::change_subscription(const Step& step) {
  const auto state = std::array{SubscriptionState::paused, SubscriptionState::active,
                                SubscriptionState::removed}[step.b % 3];
  both<int>("a change of a subscription", [&](std::size_t side) {
    const std::string& handler = kHandlers[step.a % kHandlers.size()];
    return static_cast<int>(bus(side).set_subscription_state(handler, state));
  });
}

bool Twins::is_busy(const std::string& worker) {
  return std::ranges::any_of(list(kReference),
                             [&](const DeliveryInfo& info) { return info.lease_owner == worker; });
}

void Twins::claim(const Step& step) {
  ClaimWish wish{.worker = kWorkers[step.a % kWorkers.size()],
                 .handlers = {},
                 .limit = 1 + step.c % 6,
                 .run_limit = 1 + step.c / 6 % 3,
                 .lease = 30s};
  for (std::size_t i = 0; i < kHandlers.size(); ++i) {
    if (((1 + step.b % 7) >> i & 1U) != 0) wish.handlers.push_back(kHandlers[i]);
  }
  if (!is_busy(wish.worker)) wish.suspects = SuspectPolicy::take_alone;
  keep_common(wish, {claim(wish, kSubject), claim(wish, kReference)});
}

BeforeClaim Twins::before_claim(std::size_t side) {
  return {list(side), bus(side).subscriptions(), bus(side).statistics().lanes, clock_->now()};
}

std::vector<Work> Twins::claim(const ClaimWish& wish, std::size_t side) {
  const BeforeClaim before = before_claim(side);
  std::vector<HandlerRoom> rooms;
  for (const std::string& handler : wish.handlers) rooms.push_back({handler, wish.room});
  const WorkerId worker{wish.worker};
  std::vector<Work> work = bus(side)
                               .claim({.worker = worker,
                                       .handlers = rooms,
                                       .limit = wish.limit,
                                       .run_limit = wish.run_limit,
                                       .lease = wish.lease,
                                       .suspects = wish.suspects})
                               .work;
  if (const auto wrong = objection(before, wish, work)) {
    throw Mismatch((side == kSubject ? "the store claimed " : "the reference claimed ") + *wrong);
  }
  return work;
}

void Twins::keep_common(const ClaimWish& wish, const std::array<std::vector<Work>, 2>& work) {
  std::map<Name, std::array<const Work*, 2>> by_name;
  for (const std::size_t side : {kSubject, kReference}) {
    for (const Work& one : work[side]) by_name[name_of(one)][side] = &one;
  }
  // A run stays whole or is cut at its end, for only the same first part of it can be common.
  for (const auto& [name, pair] : by_name) {
    if (pair[kSubject] != nullptr && pair[kReference] != nullptr) {
      attempts_.push_back({name, wish.worker, {pair[kSubject]->token, pair[kReference]->token}});
      continue;
    }
    const std::size_t side = pair[kSubject] != nullptr ? kSubject : kReference;
    if (bus(side).release({&pair[side]->token, 1}).at(0) != Verdict::done) {
      throw Mismatch("what was just claimed could not be released");
    }
  }
  // The leases that are left must be the same, and run for the same time.
  for (const std::size_t side : {kSubject, kReference}) {
    std::vector<Token> tokens;
    for (const Attempt& attempt : attempts_) {
      if (attempt.worker == wish.worker) tokens.push_back(attempt.tokens[side]);
    }
    bus(side).relinquish(WorkerId{wish.worker});
    (void)bus(side).extend(tokens, wish.lease);
  }
}

void Twins::finish(const Step& step) {
  if (attempts_.empty()) return;
  // Mostly the latest attempts, which are mostly still running.
  const std::size_t back =
      step.a % std::min<std::size_t>(attempts_.size(), step.b % 4 == 0 ? 50 : 5);
  const Attempt attempt = attempts_[attempts_.size() - 1 - back];
  const Duration delay = std::array<Duration, 4>{0s, 1s, 1min, 2h}[step.b % 4];
  const int verdict = both<int>("the end of an attempt", [&](std::size_t side) {
    const Token& token = attempt.tokens[side];
    const Reschedule again{.token = token,
                           .delay = delay,
                           .charge = step.c % 2 == 0 ? Charge::charge : Charge::keep,
                           .error = step.b % 3 == 0 ? "failed" : ""};
    const Bury end{.token = token, .reason = "hopeless"};
    std::vector<Verdict> verdicts;
    switch (step.c % 12) {
      case 0:
      case 1: verdicts = bus(side).reschedule({&again, 1}); break;
      case 2: verdicts = bus(side).bury({&end, 1}); break;
      case 3: verdicts = bus(side).release({&token, 1}); break;
      case 4: verdicts = bus(side).extend({&token, 1}, 1min); break;
      default: verdicts = bus(side).complete({&token, 1}, nullptr); break;
    }
    return static_cast<int>(verdicts.at(0));
  });
  const bool completes = step.c % 12 > 4;
  if (completes && verdict == static_cast<int>(Verdict::done)) ++completed_[attempt.name];
}

void Twins::finish_in_transaction(const Step& step) {
  if (attempts_.empty()) return;
  const Attempt attempt = attempts_[attempts_.size() - 1 - step.a % attempts_.size()];
  const bool commits = step.b % 2 == 0;
  const int verdict = both<int>("a completion in a transaction", [&](std::size_t side) {
    const auto transaction = bus(side).begin();
    const auto verdicts = bus(side).complete({&attempt.tokens[side], 1}, transaction.get());
    if (commits) transaction->commit();
    return static_cast<int>(verdicts.at(0));
  });
  if (commits && verdict == static_cast<int>(Verdict::done)) ++completed_[attempt.name];
}

void Twins::operate(const Step& step) {
  Selection selection;
  if (step.b % 3 == 0) selection.all = true;
  if (step.b % 3 == 1) selection.handler = kHandlers[step.a % kHandlers.size()];
  if (step.b % 3 == 2) {
    selection.event_id =
        events_.empty() ? contract::event_id(0) : *events_[step.a % events_.size()].id;
  }
  const bool requeues = step.c % 3 != 0;
  both<std::int64_t>(requeues ? "requeue" : "bury_selected", [&](std::size_t side) {
    return requeues ? bus(side).requeue(selection)
                    : bus(side).bury_selected(selection, "by an operator");
  });
}

void Twins::purge() {
  // Delivered again after its event was purged, an id is new: account for what goes.
  const auto ids = [&] {
    std::set<Name> names;
    for (const DeliveryInfo& info : list(kReference)) {
      if (info.status == DeliveryStatus::dead) names.insert({info.event_id, info.handler});
    }
    return names;
  };
  const std::set<Name> before = ids();
  both<std::string>("purge", [&](std::size_t side) {
    Purged sum;
    bool more = true;
    for (int round = 0; round < 2 || more; ++round) {
      const Purged purged = bus(side).purge({}, 1'000);
      sum.events += purged.events;
      sum.dead += purged.dead;
      sum.history += purged.history;
      more = purged.more;
    }
    return "events " + std::to_string(sum.events) + " dead " + std::to_string(sum.dead) +
           " history " + std::to_string(sum.history);
  });
  const std::set<Name> after = ids();
  for (const Name& name : before) {
    if (!after.contains(name)) --made_[name];
  }
}

void Twins::advance(const Step& step) {
  clock_->advance(std::array<Duration, 8>{1us, 1s, 10s, 31s, 31s, 1h, std::chrono::days{8},
                                          std::chrono::days{31}}[step.a % 8]);
}

std::vector<DeliveryInfo> Twins::list(std::size_t side) {
  std::vector<DeliveryInfo> items;
  ListQuery query{.limit = 50};
  while (true) {
    DeliveryPage page = bus(side).list(query);
    for (DeliveryInfo& info : page.items) items.push_back(std::move(info));
    if (!page.next) return items;
    query.after = *page.next;
  }
}

void Twins::compare() {
  const std::vector<DeliveryInfo> subject = list(kSubject);
  const std::vector<DeliveryInfo> reference = list(kReference);
  const auto seen = described(subject, clock_->now());
  const auto expected = described(reference, clock_->now());
  for (const auto& [name, text] : expected) {
    const auto found = seen.find(name);
    const std::string said = found == seen.end() ? "nothing" : found->second;
    if (said == text) continue;
    throw Mismatch(name.first.to_string() + "/" + name.second + "\n  the store says     " + said +
                   "\n  the reference says " + text);
  }
  if (seen.size() != expected.size()) throw Mismatch("the store lists more than the reference");
  if (orders(subject) != orders(reference)) throw Mismatch("another order within a key");
  both<std::string>("statistics",
                    [&](std::size_t side) { return summary(bus(side).statistics()); });
  both<std::string>("subscriptions",
                    [&](std::size_t side) { return summary(bus(side).subscriptions()); });
}

std::multiset<Name> Twins::run_to_the_end(std::size_t side) {
  const ClaimWish wish{.worker = "worker-c",
                       .handlers = kHandlers,
                       .limit = 1'000,
                       .run_limit = 3,
                       .suspects = SuspectPolicy::take_alone};
  std::multiset<Name> names;
  while (true) {
    const std::vector<Work> work = claim(wish, side);
    if (work.empty()) return names;
    const auto verdicts = bus(side).complete(contract::tokens_of(work), nullptr);
    if (std::ranges::find(verdicts, Verdict::lost) != verdicts.end()) {
      throw Mismatch("a completion of running work was lost");
    }
    for (const Work& one : work) names.insert(name_of(one));
  }
}

void Twins::drain() {
  for (const std::string& handler : kHandlers) {
    take({.kind = 5, .a = static_cast<unsigned>(&handler - kHandlers.data()), .c = 2});
    both<int>("resume", [&](std::size_t side) {
      return static_cast<int>(bus(side).set_subscription_state(handler, SubscriptionState::active));
    });
  }
  clock_->advance(std::chrono::days{2});
  const auto last = both<std::multiset<Name>>(
      "the last completions", [&](std::size_t side) { return run_to_the_end(side); });
  for (const Name& name : last) ++completed_[name];
  compare();

  std::map<Name, int> accounted = completed_;
  for (const DeliveryInfo& info : list(kReference)) {
    if (info.status == DeliveryStatus::completed) continue;
    if (info.status != DeliveryStatus::dead) throw Mismatch("work that never came to an end");
    ++accounted[{info.event_id, info.handler}];
  }
  for (const auto& [name, times] : made_) {
    if (accounted[name] != times) throw Mismatch("lost or run twice: " + name.first.to_string());
  }
}

}  // namespace penstock::property
