// Every sample of every line, for programs that draw or compare them.
#pragma once

#include <filesystem>
#include <vector>

#include "peers/survey.hpp"
#include "scenarios/measurement.hpp"
#include "scenarios/targets.hpp"

namespace penstock::bench {

/// Samples that were not exact have a verdict and no numbers. Throws: std::runtime_error.
void write_json(const std::filesystem::path& path, const std::vector<Line>& lines,
                const std::vector<TargetRow>& targets, const Survey& peers);

}  // namespace penstock::bench
