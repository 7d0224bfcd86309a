// Completed deliveries are kept where the URL says so, and from then on.
#include "commands/how_to_keep.hpp"

#include "output/shell.hpp"

namespace penstock::cli {
namespace {

constexpr std::string_view kOff = "completion_history=false";
constexpr std::string_view kOn = "completion_history=true";

std::string with_history(std::string url) {
  const std::size_t off = url.find(kOff);
  if (off != std::string::npos) return url.replace(off, kOff.size(), kOn);
  return url + (url.find('?') == std::string::npos ? '?' : '&') + std::string{kOn};
}

}  // namespace

std::string how_to_keep(const Settings& settings) {
  return "to keep completed ones from now on, give every worker and this command --db " +
         url_to_paste(with_history(database_url(settings)));
}

}  // namespace penstock::cli
