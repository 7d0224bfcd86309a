// Two stores that are told the same and must say the same: the one under test and the reference.
//
// Where the contract leaves a choice (which due work a claim takes), both answers are judged, and
// what only one of them took is given back, so that they go on as twins.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "property/judge.hpp"

namespace penstock::property {

/// One command: its parameters are read according to its kind and to what is there.
struct Step {
  unsigned kind = 0;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
};
void showValue(const Step& step, std::ostream& out);  // NOLINT(readability-identifier-naming)

/// A difference between the twins, or a broken rule.
class Mismatch final : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Twins {
 public:
  Twins(const contract::StoreUnderTest& subject, const contract::StoreUnderTest& reference);

  /// Throws: Mismatch.
  void take(const Step& step);
  /// Lets everything run to its end, and accounts for each delivery that was ever made.
  void drain();

 private:
  /// An attempt that both have handed out; kept when it is over, to be used too late.
  struct Attempt {
    Name name;
    std::string worker;
    std::array<Token, 2> tokens;
  };

  void publish(const Step& step);
  void publish_in_transaction(const Step& step);
  void subscribe(const Step& step);
  void change_subscription(const Step& step);
  void claim(const Step& step);
  std::vector<Work> claim(const contract::ClaimWish& wish, std::size_t side);
  void finish(const Step& step);
  void finish_in_transaction(const Step& step);
  void operate(const Step& step);
  void relinquish(const std::string& worker);
  void inherit(const Step& step);
  void purge();
  void advance(const Step& step);
  void compare();

  BusStore& bus(std::size_t side) { return stores_[side]->bus(); }
  /// Asks both, and expects one answer.
  template <typename Answer>
  Answer both(const std::string& what, const std::function<Answer(std::size_t side)>& ask);
  [[nodiscard]] std::vector<DeliveryInfo> list(std::size_t side);
  [[nodiscard]] BeforeClaim before_claim(std::size_t side);
  [[nodiscard]] bool is_busy(const std::string& worker);
  void keep_common(const contract::ClaimWish& wish, const std::array<std::vector<Work>, 2>& work);
  std::multiset<Name> run_to_the_end(std::size_t side);
  void note_published(const std::vector<Published>& published);

  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  std::array<std::unique_ptr<contract::StoreFixture>, 2> stores_;
  std::vector<Attempt> attempts_;
  std::vector<Event> events_;
  int last_event_ = 0;
  std::map<Name, int> made_;       ///< Deliveries ever made, and how many of them.
  std::map<Name, int> completed_;  ///< And how many were completed.
};

}  // namespace penstock::property
