// PgQ (extension pgq): an append-only log in the database, read batch by batch. A batch is what was
// committed between two ticks, belongs to one consumer and is acknowledged as a whole; it has no
// cooperative consumers in its current version, so more processes than one would only stand by.
#pragma once

#include <memory>

#include "peers/peer.hpp"
#include "peers/survey.hpp"

namespace penstock::bench {

[[nodiscard]] std::unique_ptr<Peer> open_pgq(const std::string& url);
/// Makes the extension. Throws: std::runtime_error, whose text is AbsentPeer::why.
[[nodiscard]] PresentPeer find_pgq(const std::string& url);

}  // namespace penstock::bench
