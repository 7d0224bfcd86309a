// Random command sequences on a store beside the reference, compared after every command. A failure
// is shrunk, and prints the RC_PARAMS to run it again with.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <filesystem>

#include "property/stores.hpp"
#include "property/twins.hpp"
#include "support/memory_fixture.hpp"
#include "support/scale.hpp"

namespace penstock::property {
namespace {

rc::Gen<Step> any_step() {
  const auto number = [] { return rc::gen::noShrink(rc::gen::inRange(0U, 5'040U)); };
  return rc::gen::build<Step>(rc::gen::set(&Step::kind, number()), rc::gen::set(&Step::a, number()),
                              rc::gen::set(&Step::b, number()), rc::gen::set(&Step::c, number()));
}

class StoreProperty : public ::testing::TestWithParam<contract::StoreUnderTest> {
 protected:
  static void SetUpTestSuite() {
    const std::string count = std::to_string(test::scaled(sequences()));
    // Does not replace what a user asks for, such as a failure to be run again.
    ::setenv("RC_PARAMS", ("max_success=" + count + " max_size=150").c_str(), 0);
    // Thousands of small files: whether they reach a disk is not the question here.
    if (std::filesystem::is_directory("/dev/shm")) ::setenv("TMPDIR", "/dev/shm", 0);
  }
};

TEST_P(StoreProperty, SaysWhatTheReferenceSays) {
  const bool holds = rc::check(GetParam().name + " says what the reference says", [] {
    const auto steps = *rc::gen::container<std::vector<Step>>(any_step());
    std::size_t taken = 0;
    try {
      Twins twins(GetParam(), contract::memory_store());
      for (; taken < steps.size(); ++taken) twins.take(steps[taken]);
      twins.drain();
    } catch (const Mismatch& mismatch) {
      RC_FAIL("at step " + std::to_string(taken) + ": " + mismatch.what());
    }
  });

  EXPECT_TRUE(holds);
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreProperty, ::testing::ValuesIn(stores_under_test()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace penstock::property
