// Numbers in network order, and the layout of arrays.
#include "store/postgres/wire.hpp"

#include "penstock/error.hpp"

namespace penstock::postgres::detail {
namespace {

/// Takes bytes from the front of what a server sent; never reads past it.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  std::string_view take(std::size_t count) {
    if (count > bytes_.size()) {
      throw Error(ErrorKind::internal, "an array from the server ends too early; please report it");
    }
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }
  std::int64_t integer() { return read_integer(take(4)); }

 private:
  std::string_view bytes_;
};

}  // namespace

void append_integer(std::string& out, std::uint64_t value, int bytes) {
  for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) {
    out += static_cast<char>((value >> shift) & 0xFF);
  }
}

std::int64_t read_integer(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes) value = (value << 8) | static_cast<unsigned char>(c);
  const int unused = 64 - static_cast<int>(bytes.size()) * 8;
  // Moved up and back down, so that the sign of a shorter number spreads.
  return unused >= 64 ? 0 : static_cast<std::int64_t>(value << unused) >> unused;
}

std::vector<std::optional<std::string_view>> read_array(std::string_view bytes) {
  Reader reader(bytes);
  const std::int64_t dimensions = reader.integer();
  reader.take(8);  // Whether there are NULLs, and the type of the elements.
  if (dimensions == 0) return {};
  const std::int64_t size = reader.integer();
  reader.take(4);  // The lower bound.
  if (dimensions != 1 || size < 0) {
    throw Error(ErrorKind::internal, "expected an array of one dimension from the server, found " +
                                         std::to_string(dimensions) +
                                         " dimensions; please report it");
  }
  std::vector<std::optional<std::string_view>> elements;
  for (std::int64_t i = 0; i < size; ++i) {
    const std::int64_t length = reader.integer();
    if (length < 0) {
      elements.emplace_back();
    } else {
      elements.emplace_back(reader.take(static_cast<std::size_t>(length)));
    }
  }
  return elements;
}

}  // namespace penstock::postgres::detail
