// Identifiers, each a type of its own so that none can stand for another by accident.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace penstock {

/// The identity of an event: a UUID.
///
/// Threads: immutable.
class EventId {
 public:
  using Bytes = std::array<std::uint8_t, 16>;

  explicit constexpr EventId(const Bytes& bytes) noexcept : bytes_(bytes) {}

  /// A new UUIDv7 (time-ordered; the rest is random).
  ///
  /// Throws: unavailable, where the system gives no random bytes.
  [[nodiscard]] static EventId generate();

  /// The UUIDv5 of (source, id): the same foreign id always becomes the same event.
  ///
  /// Publishing it with `Event::headers["penstock-original-id"] = id` keeps the original.
  [[nodiscard]] static EventId from_foreign(std::string_view source, std::string_view id);

  /// Reads the 36-character form, in either case. Empty where `text` is not one.
  [[nodiscard]] static std::optional<EventId> parse(std::string_view text) noexcept;

  /// The 36-character form in lower case.
  [[nodiscard]] std::string to_string() const;
  [[nodiscard]] constexpr const Bytes& bytes() const noexcept { return bytes_; }

  friend constexpr auto operator<=>(const EventId&, const EventId&) noexcept = default;

 private:
  Bytes bytes_;
};

/// The identity of a delivery within one store.
struct DeliveryId {
  std::int64_t value = 0;
  friend constexpr auto operator<=>(const DeliveryId&, const DeliveryId&) noexcept = default;
};

/// The identity of a job within one store.
struct JobId {
  std::int64_t value = 0;
  friend constexpr auto operator<=>(const JobId&, const JobId&) noexcept = default;
};

/// One of the 256 slices of the deliveries.
struct LaneId {
  std::int32_t value = 0;
  friend constexpr auto operator<=>(const LaneId&, const LaneId&) noexcept = default;
};

/// How often a lane has changed hands: its fencing number.
struct Epoch {
  std::int64_t value = 0;
  friend constexpr auto operator<=>(const Epoch&, const Epoch&) noexcept = default;
};

/// Who holds a lease: a configured name and the UUID of one incarnation of a process, so that a
/// restarted process never adopts the leases of its predecessor.
class WorkerId {
 public:
  /// Takes `value` as it is; `incarnation_of` is what a program wants.
  explicit WorkerId(std::string value) : value_(std::move(value)) {}

  /// `name/uuid` with a fresh UUID.
  [[nodiscard]] static WorkerId incarnation_of(std::string_view name);

  [[nodiscard]] const std::string& value() const noexcept { return value_; }
  friend auto operator<=>(const WorkerId&, const WorkerId&) = default;

 private:
  std::string value_;
};

}  // namespace penstock

template <>
struct std::hash<penstock::EventId> {
  std::size_t operator()(const penstock::EventId& id) const noexcept;
};
