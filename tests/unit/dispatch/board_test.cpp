// What the board makes of a claim.
#include "dispatch/board.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <thread>

namespace penstock::dispatch {
namespace {

Work keyed(std::int64_t id, const std::string& key, std::int64_t sequence) {
  Event event{.type = "order.paid", .key = key, .id = EventId::generate()};
  return Work{.token = {.work_id = id},
              .handler = "mail",
              .event = std::make_shared<const Event>(std::move(event)),
              .sequence = sequence};
}

std::vector<std::int64_t> ids_of(const Run& run) {
  std::vector<std::int64_t> ids;
  for (const AttemptPtr& attempt : run) ids.push_back(attempt->work.token.work_id);
  return ids;
}

TEST(Board, MakesOneRunOfAKeyWhoseDeliveriesDoNotStandSideBySide) {
  std::vector<std::unique_ptr<Route>> routes;
  routes.push_back(std::make_unique<Route>(
      Route{.name = "mail", .service = {.handler = Handler{[](const Delivery&) {}}}}));
  Board board{DispatcherOptions{}, routes};
  Claimed claimed;
  claimed.work = {keyed(1, "a", 1), keyed(2, "b", 1), keyed(3, "a", 2), keyed(4, "b", 2)};

  board.add(std::move(claimed), std::chrono::steady_clock::now() + std::chrono::hours{1}, false);

  const auto first = board.take();
  const auto second = board.take();
  ASSERT_EQ(first.size(), 1U);
  ASSERT_EQ(second.size(), 1U);
  EXPECT_THAT(ids_of(first[0]), testing::ElementsAre(1, 3));
  EXPECT_THAT(ids_of(second[0]), testing::ElementsAre(2, 4));
}

TEST(Board, IsNotIdleWhileSomethingDueWasLeftForAnotherWorker) {
  std::vector<std::unique_ptr<Route>> routes;
  routes.push_back(std::make_unique<Route>(
      Route{.name = "mail", .service = {.handler = Handler{[](const Delivery&) {}}}}));
  Board board{DispatcherOptions{}, routes};
  const auto far = std::chrono::steady_clock::now() + std::chrono::hours{1};
  std::atomic<int> claims = 0;
  std::jthread claimer([&] {
    while (board.await_claim(far)) {
      const bool left_for_another = ++claims < 3;
      board.add({.next_due_in = left_for_another ? std::optional{Duration::zero()} : std::nullopt},
                far, false);
    }
  });

  EXPECT_TRUE(board.await_idle());

  EXPECT_GE(claims, 3);
  board.stop_claiming();
}

}  // namespace
}  // namespace penstock::dispatch
