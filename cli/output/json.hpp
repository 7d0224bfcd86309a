// JSON as this program writes it: values that are built in order and printed compactly. The JSON
// library stays behind this header, because including it is slow.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace penstock::cli {

/// One JSON value, kept as its text. A default-made one is null.
class Json {
 public:
  Json() = default;
  template <std::same_as<bool> Bool>
  Json(Bool value) : text_(value ? "true" : "false") {}  // NOLINT(google-explicit-constructor)
  template <std::integral Integer>
    requires(!std::same_as<Integer, bool>)
  Json(Integer value) : text_(std::to_string(value)) {}       // NOLINT(google-explicit-constructor)
  Json(double value);                                         // NOLINT(google-explicit-constructor)
  Json(std::string_view value);                               // NOLINT(google-explicit-constructor)
  Json(const char* value) : Json(std::string_view{value}) {}  // NOLINT(google-explicit-constructor)
  Json(const std::string& value)
      : Json(std::string_view{value}) {}  // NOLINT(google-explicit-constructor)
  template <typename Value>
  Json(const std::optional<Value>& value)  // NOLINT(google-explicit-constructor): absent is null.
      : Json(value ? Json(*value) : Json()) {}

  [[nodiscard]] static Json object();
  [[nodiscard]] static Json array();

  /// Adds a member to an object. The caller gives each name once.
  Json& set(std::string_view name, const Json& value);
  /// Adds an element to an array.
  Json& push(const Json& value);

  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  void separate();

  std::string text_ = "null";
};

}  // namespace penstock::cli
