// Store URLs.
#include "store/store_url.hpp"

#include <utility>

#include "base/percent.hpp"
#include "work/check.hpp"

namespace penstock::store {
namespace {

std::string decoded(std::string_view text) {
  std::optional<std::string> plain = base::percent_decoded(text);
  if (!plain) {
    work::refuse("db", "a \"%\" in a store URL must be followed by two hexadecimal digits");
  }
  if (plain->find('\0') != std::string::npos)
    work::refuse("db", "a store URL must not contain a NUL");
  return *std::move(plain);
}

}  // namespace

StoreUrl parse_store_url(std::string_view url) {
  const std::size_t colon = url.find(':');
  if (colon == std::string_view::npos || colon == 0) {
    // Not quoted: what is no URL may be a connection string with a password in it.
    work::refuse("db",
                 "expected a store URL such as \"sqlite:orders.db\", "
                 "\"postgresql://HOST/DATABASE\" or \"memory:\"; found a text without a scheme");
  }
  StoreUrl parsed{.scheme = std::string(url.substr(0, colon))};
  std::string_view rest = url.substr(colon + 1);
  const std::size_t question = rest.find('?');
  parsed.place = decoded(rest.substr(0, question));
  if (question == std::string_view::npos) return parsed;
  rest.remove_prefix(question + 1);
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) {
      work::refuse("db", "an option of a store URL has the form name=value; found \"" +
                             std::string(pair) + "\"");
    }
    parsed.options[decoded(pair.substr(0, equals))] = decoded(pair.substr(equals + 1));
  }
  return parsed;
}

bool take_switch(StoreUrl& url, std::string_view name, bool absent) {
  const auto option = url.options.find(name);
  if (option == url.options.end()) return absent;
  const std::string value = option->second;
  url.options.erase(option);
  if (value == "true") return true;
  if (value == "false") return false;
  work::refuse("db",
               "option " + std::string(name) + " must be true or false; found \"" + value + "\"");
}

void refuse_unknown_options(const StoreUrl& url) {
  if (url.options.empty()) return;
  work::refuse(
      "db", "store \"" + url.scheme + ":\" has no option \"" + url.options.begin()->first + "\"");
}

}  // namespace penstock::store
