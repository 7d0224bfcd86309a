// The rules of a claim.
#include "property/judge.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "work/delivery_state.hpp"

namespace penstock::property {
namespace {

class Judge {
 public:
  Judge(const BeforeClaim& before, const contract::ClaimWish& wish) : wish_(wish) {
    for (const Subscription& one : before.subscriptions) subscriptions_[one.handler] = one;
    for (DeliveryInfo info : before.deliveries) {
      if (info.status == DeliveryStatus::in_flight && *info.lease_expires_at <= before.now) {
        take_over(info);
      }
      if (info.status == DeliveryStatus::pending || info.status == DeliveryStatus::in_flight) {
        open_.emplace(Name{info.event_id, info.handler}, info);
      }
      if (info.status == DeliveryStatus::in_flight) {
        holders_[info.lane] = *info.lease_owner;
      }
    }
    // A lease that runs nothing lasts until its worker claims again, or until it runs out.
    for (const LaneInfo& lane : before.lanes) {
      const bool is_held = lane.owner && *lane.expires_at > before.now;
      if (is_held) holders_.emplace(lane.lane, *lane.owner);
    }
    for (const auto& [name, info] : open_) {
      const bool is_waiting = info.status == DeliveryStatus::pending;
      if (is_waiting && info.available_at <= before.now) {
        due_.insert(name);
        if (is_active(info.handler)) due_handlers_[info.lane].insert(info.handler);
      }
    }
  }

  std::optional<std::string> objection(const std::vector<Work>& work) {
    const bool suspects_were_due = !claimable(true).empty();
    if (work.size() > wish_.limit) return "more than the limit";
    for (const Work& one : work) {
      if (auto objection = objection_to(one)) return objection;
    }
    if (std::ranges::any_of(runs_, [&](const auto& run) { return run.second > wish_.run_limit; })) {
      return "a run beyond its limit";
    }
    if (wish_.suspects == SuspectPolicy::take_alone && suspects_were_due) {
      return work.size() == 1 && work[0].suspect
                 ? std::nullopt
                 : std::optional("a due suspect was not taken alone");
    }
    return objection_to_what_was_left(work);
  }

 private:
  void take_over(DeliveryInfo& info) const {
    const auto subscription = subscriptions_.find(info.handler);
    const work::CrashCharge charge = work::charge_for_crash(
        info.attempts, info.suspect,
        subscription == subscriptions_.end() ? std::nullopt
                                             : std::optional(subscription->second.max_attempts));
    info.status = charge.bury ? DeliveryStatus::dead : DeliveryStatus::pending;
    info.attempts = charge.attempts;
    info.suspect = true;
  }

  bool is_active(const std::string& handler) const {
    const auto found = subscriptions_.find(handler);
    return found != subscriptions_.end() && !found->second.paused;
  }
  bool is_wanted(const std::string& handler) const {
    return std::ranges::find(wish_.handlers, handler) != wish_.handlers.end();
  }
  bool may_use(LaneId lane) const {
    const auto holder = holders_.find(lane);
    return holder == holders_.end() || holder->second == wish_.worker;
  }

  /// Whether something of the same key comes first, apart from what this claim took already.
  bool is_blocked(const DeliveryInfo& info) const {
    if (!info.key) return false;
    return std::ranges::any_of(open_, [&](const auto& entry) {
      const DeliveryInfo& other = entry.second;
      if (other.handler != info.handler || other.key != info.key) return false;
      if (other.status == DeliveryStatus::in_flight) return true;
      return other.sequence < info.sequence && !taken_.contains(entry.first);
    });
  }

  std::optional<std::string> objection_to(const Work& work) {
    const Name name{*work.event->id, work.handler};
    const auto found = open_.find(name);
    if (found == open_.end() || !due_.contains(name)) return "work that is not due";
    const DeliveryInfo& info = found->second;
    if (!is_wanted(info.handler) || !is_active(info.handler)) return "work of a handler not served";
    if (!may_use(info.lane)) return "work of a lane that another holds";
    if (is_blocked(info)) return "work out of order";
    if (info.suspect && wish_.suspects == SuspectPolicy::leave) return "a suspect among others";
    if (work.suspect != info.suspect || work.attempts != info.attempts) return "a wrong account";
    if (!taken_.insert(name).second) return "one delivery twice";
    if (info.key) ++runs_[{info.handler, *info.key}];
    return std::nullopt;
  }

  /// The first of its key or without one, due, served, and in a lane that is free or its own.
  std::set<Name> claimable(bool suspects) const {
    std::set<Name> names;
    for (const Name& name : due_) {
      const DeliveryInfo& info = open_.at(name);
      const bool can = info.suspect == suspects && is_wanted(info.handler) &&
                       is_active(info.handler) && may_use(info.lane) && !taken_.contains(name) &&
                       !is_blocked(info);
      if (can) names.insert(name);
    }
    return names;
  }

  /// A claim that has room left must have taken all it could; a lane in which work of others waits
  /// may be left to them.
  std::optional<std::string> objection_to_what_was_left(const std::vector<Work>& work) const {
    if (work.size() >= wish_.limit) return std::nullopt;
    for (const Name& name : claimable(false)) {
      const DeliveryInfo& info = open_.at(name);
      if (info.key && runs_.contains({info.handler, *info.key})) continue;
      const auto& handlers = due_handlers_.at(info.lane);
      const bool others_wait =
          std::ranges::any_of(handlers, [&](const auto& handler) { return !is_wanted(handler); });
      if (!others_wait) {
        return "less than it could: " + name.first.to_string() + "/" + name.second;
      }
    }
    return std::nullopt;
  }

  const contract::ClaimWish& wish_;
  std::map<std::string, Subscription> subscriptions_;
  std::map<Name, DeliveryInfo> open_;  ///< Pending and in flight, after the takeovers.
  std::map<LaneId, std::string> holders_;
  std::set<Name> due_;
  std::map<LaneId, std::set<std::string>> due_handlers_;
  std::set<Name> taken_;
  std::map<std::pair<std::string, std::string>, std::size_t> runs_;
};

}  // namespace

std::optional<std::string> objection(const BeforeClaim& before, const contract::ClaimWish& wish,
                                     const std::vector<Work>& work) {
  return Judge(before, wish).objection(work);
}

}  // namespace penstock::property
