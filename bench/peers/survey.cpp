// See survey.hpp.
#include "survey.hpp"

#include <algorithm>
#include <exception>
#include <stdexcept>

#ifdef PENSTOCK_BENCH_POSTGRES
#include "peers/graphile/graphile.hpp"
#include "peers/pgq/pgq.hpp"
#endif

namespace penstock::bench {

bool Survey::is_absent(Layout layout) const noexcept {
  return std::ranges::any_of(absent, [&](const AbsentPeer& one) { return one.peer == layout; });
}

namespace {

PresentPeer find([[maybe_unused]] Layout peer, const std::string& url) {
  if (!is_postgres(url))
    throw std::runtime_error("it needs a PostgreSQL server: --db postgresql://…");
#ifdef PENSTOCK_BENCH_POSTGRES
  return peer == Layout::pgq ? find_pgq(url) : find_graphile(url);
#else
  throw std::runtime_error("built without PostgreSQL");
#endif
}

}  // namespace

Survey look_for_peers(const std::vector<Layout>& wanted, const std::string& url) {
  Survey survey;
  for (const Layout peer : wanted) {
    if (!is_peer(peer)) continue;
    try {
      survey.present.push_back(find(peer, url));
    } catch (const std::exception& error) {
      std::string why = error.what();
      while (why.ends_with('\n')) why.pop_back();
      std::ranges::replace(why, '\n', ' ');
      survey.absent.push_back({.peer = peer, .why = std::move(why)});
    }
  }
  return survey;
}

}  // namespace penstock::bench
