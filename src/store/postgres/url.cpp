// Taking a URL apart. Values of libpq's own options are never looked at: one may be a password.
#include "store/postgres/url.hpp"

#include <charconv>
#include <cstdint>
#include <utility>

#include "base/percent.hpp"
#include "store/postgres/target.hpp"
#include "work/check.hpp"

namespace penstock::postgres::detail {
namespace {

std::string decoded(std::string_view text) {
  std::optional<std::string> plain = base::percent_decoded(text);
  if (!plain) {
    work::refuse("db", "a \"%\" in a store URL must be followed by two hexadecimal digits");
  }
  return *std::move(plain);
}

[[noreturn]] void refuse_value(std::string_view name, std::string_view wanted) {
  work::refuse("db", "option " + std::string(name) + " must be " + std::string(wanted));
}

bool switch_of(std::string_view name, std::string_view value) {
  if (value == "true") return true;
  if (value == "false") return false;
  refuse_value(name, "true or false");
}

std::uint32_t number_of(std::string_view name, std::string_view value) {
  std::uint32_t number = 0;
  const char* const begin = std::to_address(value.begin());
  const char* const end = std::to_address(value.end());
  const auto [stopped, problem] = std::from_chars(begin, end, number);
  if (problem != std::errc{} || stopped != end) refuse_value(name, "a whole number");
  return number;
}

/// Whether the option is ours; then it is set.
bool take(PostgresStoreOptions& options, std::string_view name, std::string_view value) {
  if (name == "schema") {
    options.schema = decoded(value);
  } else if (name == "prefix") {
    options.prefix = decoded(value);
  } else if (name == "completion_history") {
    options.completion_history = switch_of(name, value);
  } else if (name == "pooler") {
    options.pooler = switch_of(name, value);
  } else if (name == "pool_size") {
    options.pool_size = number_of(name, value);
  } else if (name == "pool_timeout") {
    options.pool_timeout = std::chrono::seconds{number_of(name, value)};
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool is_postgres_url(std::string_view url) noexcept {
  return url.starts_with("postgresql://") || url.starts_with("postgres://");
}

PostgresStoreOptions options_of_url(std::string_view url) {
  const std::size_t question = url.find('?');
  PostgresStoreOptions options;
  options.connection = url.substr(0, question);
  std::string_view rest = question == std::string_view::npos ? "" : url.substr(question + 1);
  char separator = '?';
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) {
      work::refuse("db", "an option of a store URL has the form name=value; one has no \"=\"");
    }
    const std::string name = decoded(pair.substr(0, equals));
    if (take(options, name, pair.substr(equals + 1))) continue;
    if (!Target::knows_option(name)) {
      work::refuse("db", "store \"postgresql:\" has no option \"" + name + "\"");
    }
    (options.connection += separator) += pair;
    separator = '&';
  }
  return options;
}

}  // namespace penstock::postgres::detail
