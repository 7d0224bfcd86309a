// Binary formats, byte by byte; that a server reads them the same is told by its own tests.
#include "store/postgres/wire.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "penstock/error.hpp"
#include "store/postgres/parameters.hpp"

namespace penstock::postgres::detail {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

/// The bytes of parameter `index`.
std::string_view bytes_of(const Parameters& parameters, std::size_t index) {
  return {parameters.values().at(index), static_cast<std::size_t>(parameters.lengths()[index])};
}

TEST(Wire, ReadsTheIntegersThatItWrites) {
  for (const std::int64_t value :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 40,
        std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
    std::string bytes;
    append_integer(bytes, static_cast<std::uint64_t>(value), 8);
    EXPECT_EQ(bytes.size(), 8U);
    EXPECT_EQ(read_integer(bytes), value);
  }
  EXPECT_EQ(read_integer(std::string("\xFF\xFE", 2)), -2);
  EXPECT_EQ(read_integer(std::string("\x80\0\0\0", 4)), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(read_integer(std::string("\x01\x02", 2)), 258);
}

TEST(Wire, CountsTimeFrom2000) {
  const Parameters parameters = Parameters::of(Timestamp{Duration{kEpochMicros + 1}});

  EXPECT_EQ(parameters.types()[0], oid::kTimestamptz);
  EXPECT_EQ(read_integer(bytes_of(parameters, 0)), 1);
}

TEST(Wire, LaysOutAnArray) {
  const std::vector<std::optional<std::string>> texts{"ab", std::nullopt};

  const Parameters parameters = Parameters::of(std::int64_t{7}, texts);

  EXPECT_EQ(parameters.types()[1], oid::kTextArray);
  EXPECT_EQ(bytes_of(parameters, 1),
            std::string_view("\0\0\0\1"          // One dimension,
                             "\0\0\0\1"          // with NULLs,
                             "\0\0\0\x19"        // of text;
                             "\0\0\0\2\0\0\0\1"  // two elements, from 1 on.
                             "\0\0\0\2"
                             "ab\xFF\xFF\xFF\xFF",
                             30));
}

TEST(Wire, LaysOutAnEmptyArray) {
  const Parameters parameters = Parameters::of(std::vector<std::int64_t>{});

  EXPECT_EQ(bytes_of(parameters, 0), std::string_view("\0\0\0\0\0\0\0\0\0\0\0\x14", 12));
  EXPECT_THAT(read_array(bytes_of(parameters, 0)), IsEmpty());
}

TEST(Wire, ReadsTheArrayThatItWrites) {
  const std::vector<std::optional<std::string>> texts{"", std::nullopt, std::string(70'000, 'x')};

  const Parameters parameters = Parameters::of(texts);
  const auto elements = read_array(bytes_of(parameters, 0));

  EXPECT_THAT(elements, ElementsAre(Optional(std::string_view()), std::nullopt,
                                    Optional(std::string_view(*texts[2]))));
}

TEST(Wire, RefusesAnArrayThatIsNone) {
  const Parameters parameters = Parameters::of(std::vector<std::int64_t>{1, 2, 3});
  const std::string whole(bytes_of(parameters, 0));

  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_THROW((void)read_array(whole.substr(0, length)), Error) << length;
  }
  std::string matrix = whole;
  matrix[3] = 2;
  EXPECT_THROW((void)read_array(matrix), Error);
}

TEST(Wire, TellsNullFromEmpty) {
  const Parameters parameters =
      Parameters::of(std::optional<std::string>{}, std::optional<std::string>{""}, Bytes{""});

  EXPECT_EQ(parameters.values().at(0), nullptr);
  EXPECT_NE(parameters.values().at(1), nullptr);
  EXPECT_NE(parameters.values().at(2), nullptr);
  EXPECT_EQ(parameters.lengths()[1], 0);
}

}  // namespace
}  // namespace penstock::postgres::detail
