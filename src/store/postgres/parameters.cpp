// Putting parameters together.
#include "store/postgres/parameters.hpp"

#include <limits>

#include "penstock/error.hpp"

namespace penstock::postgres::detail {
namespace {

constexpr std::size_t kNull = std::string::npos;

int checked_length(std::size_t length) {
  // The protocol counts bytes in 31 bits; the server refuses half of that already.
  if (length > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw Error(ErrorKind::usage,
                "a value for PostgreSQL has " + std::to_string(length) +
                    " bytes, the protocol takes at most 2147483647: send it in parts",
                {.limit = std::numeric_limits<int>::max()});
  }
  return static_cast<int>(length);
}

}  // namespace

std::vector<const char*> Parameters::values() const {
  std::vector<const char*> pointers;
  pointers.reserve(offsets_.size());
  for (const std::size_t offset : offsets_) {
    pointers.push_back(offset == kNull ? nullptr : buffer_.data() + offset);
  }
  return pointers;
}

void Parameters::begin_array(unsigned element_type, std::size_t size) {
  const bool empty = size == 0;
  append_integer(buffer_, empty ? 0 : 1, 4);
  append_integer(buffer_, 0, 4);  // No NULLs; one of them sets it.
  append_integer(buffer_, element_type, 4);
  if (empty) return;
  append_integer(buffer_, static_cast<std::uint64_t>(checked_length(size)), 4);
  append_integer(buffer_, 1, 4);  // The lower bound.
}

void Parameters::append_null_element() {
  constexpr std::size_t kLastByteOfHasNulls = 7;
  buffer_[begin_ + kLastByteOfHasNulls] = 1;
  append_integer(buffer_, ~std::uint64_t{0}, 4);
}

void Parameters::set_length(std::size_t at) {
  std::string length;
  append_integer(length, static_cast<std::uint64_t>(checked_length(buffer_.size() - at - 4)), 4);
  buffer_.replace(at, 4, length);
}

void Parameters::add_null(unsigned type) {
  offsets_.push_back(kNull);
  types_.push_back(type);
  lengths_.push_back(0);
  formats_.push_back(1);
}

void Parameters::end(unsigned type) {
  offsets_.push_back(begin_);
  types_.push_back(type);
  lengths_.push_back(checked_length(buffer_.size() - begin_));
  formats_.push_back(1);
  begin_ = buffer_.size();
}

}  // namespace penstock::postgres::detail
