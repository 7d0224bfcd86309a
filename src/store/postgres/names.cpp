// Quoting, and a small scanner of SQL: enough to tell code from comments and literals.
#include "store/postgres/names.hpp"

#include <algorithm>
#include <cstddef>

#include "work/check.hpp"

namespace penstock::postgres::detail {
namespace {

// PostgreSQL cuts longer names silently, and then two of ours could become one.
constexpr std::size_t kLongestName = 63;
constexpr std::size_t kLongestObject = 30;
constexpr std::size_t kLongestPrefix = kLongestName - kLongestObject;

// FNV-1a, 64 bit: the same in every process, forever.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14'695'981'039'346'656'037U;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1'099'511'628'211U;
  }
  return hash;
}

void check_name(std::string_view field, const std::string& name, std::size_t limit) {
  work::check_text(field, name, limit);
  // A dollar could end the body of a function, in which names stand too.
  const bool odd = std::ranges::any_of(
      name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F || c == '$'; });
  if (odd) {
    work::refuse(field,
                 std::string(field) + " must not contain control characters or a dollar sign");
  }
}

std::string doubled(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char c : text) {
    if (c == quote) out += c;
    out += c;
  }
  return out += quote;
}

bool starts_word(char c) { return c == '_' || (c >= 'a' && c <= 'z'); }
bool in_word(char c) { return starts_word(c) || (c >= '0' && c <= '9'); }

/// Where the comment that begins at `at` ends; `at` itself where there is none.
std::size_t end_of_comment(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) == "--") {
    return std::min(text.find('\n', at), text.size());
  }
  if (text.substr(at, 2) != "/*") return at;
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (text.substr(at, 2) == "/*") {
      ++depth;
      ++at;
    } else if (text.substr(at, 2) == "*/") {
      ++at;
      if (--depth == 0) return at + 1;
    }
  }
  return text.size();
}

/// Where the quoted piece that begins at `at` ends. A doubled quote ends one and begins the next.
std::size_t end_of_quoted(std::string_view text, std::size_t at) {
  const std::size_t closing = text.find(text[at], at + 1);
  return closing == std::string_view::npos ? text.size() : closing + 1;
}

/// The name of the variable at `at`, such as `:"lanes"`; empty where there is none. In `a::"b"` and
/// in array slices there is none.
std::string_view variable_at(std::string_view text, std::size_t at) {
  if (text[at] != ':' || at + 2 >= text.size()) return {};
  if (at > 0 && text[at - 1] == ':') return {};
  const char quote = text[at + 1];
  if (quote != '"' && quote != '\'') return {};
  std::size_t end = at + 2;
  if (!starts_word(text[end])) return {};
  while (end < text.size() && in_word(text[end])) ++end;
  if (end == text.size() || text[end] != quote) return {};
  return text.substr(at + 2, end - at - 2);
}

std::size_t end_of_heading(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = end_of_comment(text, at);
    if (end != at) {
      at = end;
    } else if (text[at] == '\n' || text[at] == ' ') {
      ++at;
    } else {
      break;
    }
  }
  return at;
}

}  // namespace

std::string quoted_identifier(std::string_view name) { return doubled(name, '"'); }

std::string quoted_literal(std::string_view text) {
  std::string quoted = doubled(text, '\'');
  if (text.find('\\') == std::string_view::npos) return quoted;
  std::string escaped = " E";
  for (const char c : quoted) {
    if (c == '\\') escaped += c;
    escaped += c;
  }
  return escaped;
}

Names::Names(std::string schema, std::string prefix)
    : schema_(std::move(schema)), prefix_(std::move(prefix)) {
  check_name("schema", schema_, kLongestName);
  if (!prefix_.empty()) check_name("prefix", prefix_, kLongestPrefix);
  setup_lock_ = static_cast<std::int64_t>(hash_of("penstock setup\n" + schema_ + '\n' + prefix_));
}

std::string Names::plain(std::string_view variable) const {
  if (variable == "schema") return schema_;
  return prefix_ + std::string(variable);
}

std::string Names::qualified(std::string_view object) const {
  return quoted_identifier(schema_) + "." + quoted_identifier(plain(object));
}

std::string Names::render(std::string_view text) const {
  std::string out;
  out.reserve(text.size());
  std::size_t at = end_of_heading(text);
  while (at < text.size()) {
    std::size_t end = end_of_comment(text, at);
    if (end == at && (text[at] == '\'' || text[at] == '"')) end = end_of_quoted(text, at);
    if (end != at) {
      out.append(text.substr(at, end - at));
      at = end;
      continue;
    }
    const std::string_view variable = variable_at(text, at);
    if (variable.empty()) {
      out += text[at++];
      continue;
    }
    const bool identifier = text[at + 1] == '"';
    out += identifier ? quoted_identifier(plain(variable)) : quoted_literal(plain(variable));
    at += variable.size() + 3;
  }
  return out;
}

}  // namespace penstock::postgres::detail
