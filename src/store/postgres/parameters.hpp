// The parameters of one statement, in binary.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/postgres/wire.hpp"

namespace penstock::postgres::detail {

/// Copies what it is given. One thread at a time.
class Parameters {
 public:
  template <typename... Values>
  [[nodiscard]] static Parameters of(const Values&... values) {
    Parameters parameters;
    (parameters.add(values), ...);
    return parameters;
  }

  template <typename T>
  void add(const T& value) {
    Wire<T>::append(buffer_, value);
    end(Wire<T>::kType);
  }
  void add(const char* text) { add(std::string_view(text)); }

  template <typename T>
  void add(const std::optional<T>& value) {
    if (value) {
      add(*value);
    } else {
      add_null(Wire<T>::kType);
    }
  }

  template <typename T>
  void add(std::span<const T> elements) {
    add_array<T>(elements);
  }
  template <typename T>
  void add(const std::vector<T>& elements) {
    add_array<T>(elements);
  }

  template <typename T>
  void add_null_array() {
    add_null(Wire<T>::kArray);
  }

  [[nodiscard]] int count() const noexcept { return static_cast<int>(types_.size()); }
  [[nodiscard]] std::size_t bytes() const noexcept { return buffer_.size(); }
  [[nodiscard]] const unsigned* types() const noexcept { return types_.data(); }
  [[nodiscard]] const int* lengths() const noexcept { return lengths_.data(); }
  /// All are binary.
  [[nodiscard]] const int* formats() const noexcept { return formats_.data(); }
  /// Valid until the next `add`.
  [[nodiscard]] std::vector<const char*> values() const;

 private:
  template <typename T>
  struct Element {
    using Type = T;
    static constexpr bool kNullable = false;
  };
  template <typename T>
  struct Element<std::optional<T>> {
    using Type = T;
    static constexpr bool kNullable = true;
  };

  template <typename T, typename Range>
  void add_array(const Range& elements) {
    using Format = Wire<typename Element<T>::Type>;
    begin_array(Format::kType, elements.size());
    for (const auto& element : elements) {
      if constexpr (Element<T>::kNullable) {
        if (!element) {
          append_null_element();
          continue;
        }
        append_element<Format>(*element);
      } else {
        append_element<Format>(element);
      }
    }
    end(Format::kArray);
  }

  template <typename Format, typename Value>
  void append_element(const Value& value) {
    const std::size_t at = buffer_.size();
    append_integer(buffer_, 0, 4);
    Format::append(buffer_, value);
    set_length(at);
  }

  void begin_array(unsigned element_type, std::size_t size);
  void append_null_element();
  /// Writes how much was appended since the length field at `at`.
  void set_length(std::size_t at);
  void add_null(unsigned type);
  /// Ends a value that was appended to the buffer.
  void end(unsigned type);

  std::string buffer_;
  std::size_t begin_ = 0;
  std::vector<unsigned> types_;
  std::vector<int> lengths_;
  std::vector<int> formats_;
  std::vector<std::size_t> offsets_;  ///< npos: NULL.
};

}  // namespace penstock::postgres::detail
