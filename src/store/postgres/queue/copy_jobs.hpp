// A large batch of plain jobs, copied into the ring.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "penstock/queue_store.hpp"
#include "store/postgres/connection.hpp"

namespace penstock::postgres::detail {

/// From here on it is worth its second round trip.
inline constexpr std::size_t kCopiedJobs = 1'000;

/// Whether all of them become ready at once and none has to be looked up.
[[nodiscard]] bool can_be_copied(std::span<const NewJob> jobs);

/// In a transaction, for jobs that can be copied. Answers for each in order.
std::vector<Enqueued> copy_jobs(Connection& connection, std::span<const NewJob> jobs,
                                std::int32_t rotor);

}  // namespace penstock::postgres::detail
