// What a worker remembers between claims: pure but for the time, which is given.
#include "store/postgres/bus/claim_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <set>

namespace penstock::postgres::detail {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr ClaimMemory::Steady::time_point kStart{1h};

ClaimOutcome batch(int first, int last) {
  return {.first_lane = LaneId{first}, .last_lane = LaneId{last}, .rescanned = true};
}

ClaimOutcome cut_in(int lane, std::int64_t id, ClaimMemory::Steady::duration took) {
  return {.cut_lanes = {lane}, .cut_at = {Timestamp{}}, .cut_ids = {id}, .took = took};
}

TEST(ClaimMemory, StaysInALaneForAWhileAndThenMovesOn) {
  ClaimMemory memory;
  for (int i = 0; i < 7; ++i) {
    memory.learn("w", batch(10, 13), kStart);
    EXPECT_EQ(memory.plan("w", kStart).first_lane, 10);
  }

  memory.learn("w", batch(10, 13), kStart);

  EXPECT_EQ(memory.plan("w", kStart).first_lane, 14);
}

TEST(ClaimMemory, ComesRoundToLaneZero) {
  ClaimMemory memory;
  for (int i = 0; i < 8; ++i) memory.learn("w", batch(250, 255), kStart);

  EXPECT_EQ(memory.plan("w", kStart).first_lane, 0);
}

TEST(ClaimMemory, LetsWorkersBeginInDifferentLanes) {
  ClaimMemory memory;
  std::set<std::int32_t> first;
  for (int i = 0; i < 16; ++i) {
    first.insert(memory.plan("worker-" + std::to_string(i), kStart).first_lane);
  }

  EXPECT_GT(first.size(), 8U);
}

TEST(ClaimMemory, GivesEachHandlerItsTurn) {
  ClaimMemory memory;
  const std::size_t first = memory.plan("w", kStart).turn;

  EXPECT_EQ(memory.plan("w", kStart).turn, first + 1);
}

TEST(ClaimMemory, LooksBehindTheMarksAtOnceWhileItFindsWork) {
  ClaimMemory memory;
  memory.learn("w", batch(1, 1), kStart);

  EXPECT_TRUE(memory.plan("w", kStart).rescan);
}

TEST(ClaimMemory, LooksBehindTheMarksNowAndThenWhileItIsIdle) {
  ClaimMemory memory;
  memory.learn("w", {.rescanned = true, .took = 100ms}, kStart);
  EXPECT_FALSE(memory.plan("w", kStart + 1'999ms).rescan);
  memory.learn("w", {.rescanned = false, .took = 100ms}, kStart + 1'999ms);

  EXPECT_TRUE(memory.plan("w", kStart + 2s).rescan) << "20 times what the last look took";
}

TEST(ClaimMemory, LooksBehindTheMarksAtAPaceThatCostsLittleWhileItFindsWork) {
  ClaimMemory memory;
  ClaimOutcome outcome = batch(1, 1);
  outcome.rescanned = true;
  outcome.took = 10ms;
  memory.learn("w", outcome, kStart);

  EXPECT_FALSE(memory.plan("w", kStart + 199ms).rescan);
  EXPECT_TRUE(memory.plan("w", kStart + 200ms).rescan) << "20 times what the last look took";
}

/// A full batch from lane 20, by a look at all lanes, of which the worker held some.
ClaimOutcome full_batch(std::vector<std::int64_t> held) {
  ClaimOutcome outcome = batch(20, 20);
  outcome.lanes = {20};
  outcome.looked_at = Timestamp{} + 5s;
  outcome.held = std::move(held);
  outcome.full = true;
  return outcome;
}

TEST(ClaimMemory, LooksAtFewLanesAndAtThoseItMayHoldWhileBatchesAreFull) {
  ClaimMemory memory;
  EXPECT_EQ(memory.plan("w", kStart).looked_at, std::nullopt);

  memory.learn("w", full_batch({3, 21}), kStart);

  const ClaimMemory::Plan plan = memory.plan("w", kStart);
  EXPECT_EQ(plan.looked_at, Timestamp{} + 5s);
  EXPECT_THAT(plan.near, ElementsAre(3, 20, 21, 22, 23, 24, 25, 26, 27));
}

TEST(ClaimMemory, LooksAtWhatItTookSinceItLookedAtAllLanes) {
  ClaimMemory memory;
  memory.learn("w", full_batch({}), kStart);
  ClaimOutcome near = batch(20, 40);
  near.lanes = {20, 40};
  near.full = true;

  memory.learn("w", near, kStart);

  const ClaimMemory::Plan plan = memory.plan("w", kStart);
  EXPECT_EQ(plan.looked_at, Timestamp{} + 5s);
  EXPECT_THAT(plan.near, testing::Contains(40));
}

TEST(ClaimMemory, LooksAtAllLanesWhereABatchWasNotFull) {
  ClaimMemory memory;
  ClaimOutcome outcome = full_batch({});
  outcome.full = false;

  memory.learn("w", outcome, kStart);

  EXPECT_EQ(memory.plan("w", kStart).looked_at, std::nullopt);
}

TEST(ClaimMemory, LooksAtAllLanesWhereItHoldsMany) {
  ClaimMemory memory;
  std::vector<std::int64_t> many(33);
  std::iota(many.begin(), many.end(), 100);

  memory.learn("w", full_batch(many), kStart);

  EXPECT_EQ(memory.plan("w", kStart).looked_at, std::nullopt);
}

TEST(ClaimMemory, LooksAtAllLanesWhereWorkCameBack) {
  ClaimMemory memory;
  memory.learn("w", full_batch({}), kStart);

  memory.forget_cursors();

  EXPECT_EQ(memory.plan("w", kStart).looked_at, std::nullopt);
}

TEST(ClaimMemory, ReadsOnWhereAScanWasCut) {
  ClaimMemory memory;
  EXPECT_THAT(memory.plan("w", kStart).cursor_at, IsEmpty());

  memory.learn("w", cut_in(7, 42, 1ms), kStart);

  const ClaimMemory::Plan plan = memory.plan("w", kStart);
  ASSERT_EQ(plan.cursor_at.size(), 256U);
  EXPECT_EQ(plan.cursor_at[7], Timestamp{});
  EXPECT_EQ(plan.cursor_ids[7], 42);
  EXPECT_EQ(plan.cursor_at[8], std::nullopt);
  EXPECT_THAT(memory.plan("another", kStart).cursor_at, IsEmpty());
}

TEST(ClaimMemory, BeginsCutScansAnewAtAPaceThatCostsLittle) {
  ClaimMemory memory;
  memory.learn("w", cut_in(7, 42, 100ms), kStart);
  memory.learn("w", cut_in(8, 43, 100ms), kStart + 100ms);

  EXPECT_THAT(memory.plan("w", kStart + 3'999ms).cursor_at, ::testing::Not(IsEmpty()));
  EXPECT_THAT(memory.plan("w", kStart + 4s).cursor_at, IsEmpty());
}

TEST(ClaimMemory, ForgetsCursorsWhereWorkComesBackBehindThem) {
  ClaimMemory memory;
  memory.learn("w", cut_in(7, 42, 1ms), kStart);

  memory.forget_cursors();

  EXPECT_THAT(memory.plan("w", kStart).cursor_at, IsEmpty());
}

TEST(ClaimMemory, GoesOnWithAWalkOverKeysUntilItsEnd) {
  ClaimMemory memory;
  memory.learn("w", {.walk_on = "m"}, kStart);
  EXPECT_EQ(memory.plan("w", kStart).walk_after, "m");

  memory.learn("w", {}, kStart);

  EXPECT_EQ(memory.plan("w", kStart).walk_after, "");
}

TEST(ClaimMemory, NamesWhatWasCompletedOnce) {
  ClaimMemory memory;
  memory.completed(std::array<std::int64_t, 2>{1, 2});

  EXPECT_THAT(memory.plan("w", kStart).gone, ElementsAre(1, 2));
  EXPECT_THAT(memory.plan("w", kStart).gone, IsEmpty());
}

TEST(ClaimMemory, RemembersABoundedNumberOfCompletions) {
  ClaimMemory memory;
  const std::vector<std::int64_t> many(1'000);
  for (int i = 0; i < 100; ++i) memory.completed(many);

  EXPECT_LE(memory.plan("w", kStart).gone.size(), 11'000U);
}

}  // namespace
}  // namespace penstock::postgres::detail
