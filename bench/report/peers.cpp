// See peers.hpp.
#include "report/peers.hpp"

#include <ostream>

namespace penstock::bench {

void print_absent(std::ostream& out, const Survey& peers) {
  for (const AbsentPeer& one : peers.absent) {
    out << "PEER LEFT OUT: " << to_string(one.peer) << " cannot be had: " << one.why << '\n';
  }
}

void print_peers(std::ostream& out, const Survey& peers) {
  if (!peers.present.empty()) {
    out << "| peer | version | payload | publish | taken at once | acknowledged |\n"
        << "| --- | --- | --- | --- | --- | --- |\n";
    for (const PresentPeer& one : peers.present) {
      out << "| " << to_string(one.peer) << ": " << one.name << " | " << one.version << " | "
          << one.payload << " | " << one.publish << " | " << one.batch << " | " << one.acknowledged
          << " |\n";
    }
  }
  print_absent(out, peers);
  if (!peers.present.empty() || !peers.absent.empty()) out << '\n';
}

}  // namespace penstock::bench
