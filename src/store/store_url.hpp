// Reading `scheme:place?option=value&…`. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace penstock::store {

struct StoreUrl {
  std::string scheme{};
  std::string place{};  ///< Between the scheme's colon and the question mark, decoded.
  std::map<std::string, std::string, std::less<>> options{};
};

/// Throws: usage.
[[nodiscard]] StoreUrl parse_store_url(std::string_view url);

/// Takes an option out of `url`: true, false, or `absent`. Throws: usage for other values.
[[nodiscard]] bool take_switch(StoreUrl& url, std::string_view name, bool absent);

/// Throws `usage` where options are left that nobody took.
void refuse_unknown_options(const StoreUrl& url);

}  // namespace penstock::store
