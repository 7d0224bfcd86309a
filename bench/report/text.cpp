// See text.hpp.
#include "report/text.hpp"

#include <cmath>
#include <iomanip>
#include <sstream>

namespace penstock::bench {

std::string fixed(double value, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << value;
  return text.str();
}

std::string grouped(double value) {
  std::string text = std::to_string(std::llround(value));
  const std::size_t first = text.front() == '-' ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string times(const Spread& ratio) {
  return fixed(ratio.median, 2) + " × (" + fixed(ratio.low, 2) + " – " + fixed(ratio.high, 2) + ")";
}

std::string spread_text(const Spread& spread) {
  return grouped(spread.median) + " (" + grouped(spread.low) + " – " + grouped(spread.high) + ")";
}

}  // namespace penstock::bench
