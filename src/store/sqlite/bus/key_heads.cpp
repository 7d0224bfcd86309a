// Marking and unmarking, one statement for all keys.
#include "store/sqlite/bus/key_heads.hpp"

#include "store/sqlite/json.hpp"
#include "store/sqlite/sql.hpp"

namespace penstock::sqlite::detail {

std::string KeyHeads::json() const {
  return json_array(pairs_, [](std::string& json, const auto& pair) {
    json += '[';
    append_json(json, pair.first);
    json += ',';
    append_json(json, pair.second);
    json += ']';
  });
}

void KeyHeads::demote(Connection& connection) const {
  if (!pairs_.empty()) connection.run(sql::demote, json());
}

void KeyHeads::promote(Connection& connection) const {
  if (!pairs_.empty()) connection.run(sql::promote, json());
}

}  // namespace penstock::sqlite::detail
