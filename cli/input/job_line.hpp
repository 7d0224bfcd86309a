// One line of NDJSON as a job: {"queue", "kind", "payload" | "payload_base64", "priority"?, "key"?,
// "run_at"?, "delay"?, "max_attempts"?, "unique_key"?, "unique_states"?, "deadline"?, "headers"?,
// "content_type"?}
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "penstock/job.hpp"

namespace penstock::cli {

/// Limits are left to enqueue. Throws: usage, naming the field.
[[nodiscard]] NewJob parse_job_line(std::string_view line);

/// `2026-12-01T12:00:00Z`, with or without a fraction; UTC only. Throws: usage, naming `field`.
[[nodiscard]] Timestamp parse_time(const std::string& field, const std::string& text);
/// Throws: usage, naming `field`.
[[nodiscard]] Duration parse_span(const std::string& field, const std::string& text);
/// Throws: usage, naming unique_states.
[[nodiscard]] JobStates parse_states(const std::vector<std::string>& names);
/// Throws: usage, where both are given.
void set_due(NewJob& job, const std::string& run_at, const std::string& delay);

}  // namespace penstock::cli
