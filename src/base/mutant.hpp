// Named defects, to show that the tests catch them. A build with -DPENSTOCK_MUTANTS=ON has them all
// and the environment variable PENSTOCK_MUTANT names the one that is on. In every other build each
// question here is false at compile time and costs nothing.
#pragma once

#include <string>
#include <string_view>

#if defined(PENSTOCK_MUTANTS)
#include <algorithm>
#include <cstdlib>
#endif

namespace penstock::base {

#if defined(PENSTOCK_MUTANTS)

[[nodiscard]] inline std::string_view mutant() {
  static const char* const name = std::getenv("PENSTOCK_MUTANT");
  return name != nullptr ? name : "none";
}

[[nodiscard]] inline bool is_mutant(std::string_view name) { return name == mutant(); }

/// SQL without the lines that end in `--@mutant name` for the defect that is on.
[[nodiscard]] inline std::string as_mutated(std::string_view sql) {
  const std::string mark = "--@mutant " + std::string(mutant()) + "\n";
  std::string kept;
  while (!sql.empty()) {
    const std::string_view line = sql.substr(0, std::min(sql.find('\n'), sql.size() - 1) + 1);
    if (!line.ends_with(mark)) kept += line;
    sql.remove_prefix(line.size());
  }
  return kept;
}

#else

[[nodiscard]] consteval bool is_mutant(std::string_view /*name*/) { return false; }

[[nodiscard]] constexpr std::string_view as_mutated(std::string_view sql) { return sql; }

#endif

}  // namespace penstock::base
