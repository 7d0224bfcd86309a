#include "store/memory/queue/job_transitions.hpp"

#include <gtest/gtest.h>

#include <array>

namespace penstock::memory {

using enum JobState;

namespace {

constexpr std::array kStates{scheduled, ready, running, retrying, completed, dead, cancelled};
constexpr std::array kActors{JobActor::time, JobActor::claim, JobActor::worker, JobActor::rescue,
                             JobActor::operators};

}  // namespace

TEST(JobTransitions, OnlyAClaimMakesAJobRun) {
  for (const JobActor actor : kActors) {
    for (const JobState from : kStates) {
      EXPECT_EQ(may_move(actor, from, running), actor == JobActor::claim && from == ready);
    }
  }
}

TEST(JobTransitions, OnlyAWorkerCompletesAndOnlyWhatRuns) {
  for (const JobActor actor : kActors) {
    for (const JobState from : kStates) {
      EXPECT_EQ(may_move(actor, from, completed), actor == JobActor::worker && from == running);
    }
  }
}

TEST(JobTransitions, OnlyAnOperatorCancelsAndOnlyWhatHasNotEnded) {
  for (const JobActor actor : kActors) {
    for (const JobState from : kStates) {
      const bool open = from != completed && from != dead && from != cancelled;
      EXPECT_EQ(may_move(actor, from, cancelled), actor == JobActor::operators && open);
    }
  }
}

TEST(JobTransitions, OnlyAnOperatorRaisesTheDead) {
  for (const JobActor actor : kActors) {
    for (const JobState to : kStates) {
      EXPECT_EQ(may_move(actor, dead, to), actor == JobActor::operators && to == ready);
    }
  }
}

TEST(JobTransitions, NothingRaisesWhatWasCompletedOrCancelled) {
  for (const JobActor actor : kActors) {
    for (const JobState to : kStates) {
      EXPECT_FALSE(may_move(actor, completed, to));
      EXPECT_FALSE(may_move(actor, cancelled, to));
    }
  }
}

}  // namespace penstock::memory
