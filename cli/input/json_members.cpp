// The JSON library checks the whole line; then a small scanner cuts out the members of the
// outermost object, because the library would not give back the payload's own bytes.
#include "input/json_members.hpp"

#include <nlohmann/json.hpp>

#include "input/base64.hpp"
#include "penstock/error.hpp"

namespace penstock::cli {
namespace {

using nlohmann::json;

/// The library's sentence without its prefix, and without its count of lines: it saw one only.
std::string reason_of(const json::exception& error) {
  std::string text = error.what();
  text.erase(0, text.find("] ") == std::string::npos ? 0 : text.find("] ") + 2);
  constexpr std::string_view kLine = "line 1, ";
  if (const std::size_t at = text.find(kLine); at != std::string::npos)
    text.erase(at, kLine.size());
  return text;
}

json parse(std::string_view text) {
  try {
    return json::parse(text);
  } catch (const json::exception& error) {
    refuse_member("line", "expected one JSON object; " + reason_of(error));
  }
}

/// Walks JSON that is known to be well-formed.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  /// Name (decoded) and text of each member of the outermost object.
  /// `parent` is what a mistake is said of; empty: the member itself.
  std::map<std::string, std::string_view> members(const std::string& parent = {}) {
    std::map<std::string, std::string_view> result;
    skip_space();
    ++at_;  // {
    for (skip_space(); text_[at_] != '}'; skip_space()) {
      if (text_[at_] == ',') ++at_;
      const std::string name = json::parse(value()).get<std::string>();
      skip_space();
      ++at_;  // :
      if (!result.emplace(name, value()).second) {
        if (parent.empty()) refuse_member(name, "expected each member once, found it twice");
        refuse_member(parent, "\"" + name + "\" is given twice");
      }
    }
    return result;
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  void skip_string() {
    for (++at_; text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    ++at_;
  }

  std::string_view value() {
    skip_space();
    const std::size_t begin = at_;
    int depth = 0;
    do {
      const char c = text_[at_];
      if (c == '"') {
        skip_string();
        continue;
      }
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      if (depth < 0) break;
      ++at_;
      // A number or a word ends before whatever follows it.
      if (depth == 0 && c != '}' && c != ']') {
        while (at_ < text_.size() &&
               std::string_view{",}] \t\r\n"}.find(text_[at_]) == std::string_view::npos) {
          ++at_;
        }
      }
    } while (depth > 0);
    return text_.substr(begin, at_ - begin);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::string without_space(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string && c == '\\') {
      result += c;
      result += text[++i];
      continue;
    }
    if (c == '"') in_string = !in_string;
    if (!in_string && (c == ' ' || c == '\t' || c == '\r' || c == '\n')) continue;
    result += c;
  }
  return result;
}

}  // namespace

void refuse_member(const std::string& field, const std::string& message) {
  throw Error(ErrorKind::usage, field + ": " + message, {.field = field});
}

std::string text_member(const std::string& field, std::string_view text) {
  const json value = json::parse(text);
  if (!value.is_string()) {
    refuse_member(field, "expected a string, found " + std::string{value.type_name()});
  }
  return value.get<std::string>();
}

std::int64_t integer_member(const std::string& field, std::string_view text) {
  const json value = json::parse(text);
  if (!value.is_number_integer()) {
    refuse_member(field, "expected a whole number, found " + std::string{value.type_name()});
  }
  return value.get<std::int64_t>();
}

std::vector<std::string> texts_member(const std::string& field, std::string_view text) {
  const json value = json::parse(text);
  std::vector<std::string> texts;
  if (!value.is_array()) {
    refuse_member(field, "expected an array of strings, found " + std::string{value.type_name()});
  }
  for (const json& one : value) {
    if (!one.is_string()) {
      refuse_member(
          field, "expected an array of strings, found " + std::string{one.type_name()} + " in it");
    }
    texts.push_back(one.get<std::string>());
  }
  return texts;
}

Headers headers_member(std::string_view text) {
  const json value = json::parse(text);
  if (!value.is_object()) {
    refuse_member("headers",
                  "expected a flat object of strings, found " + std::string{value.type_name()});
  }
  Headers headers;
  // The library keeps the last of two namesakes; the scanner refuses them.
  for (const auto& [name, member_text] : Scanner{text}.members("headers")) {
    const json member = json::parse(member_text);
    if (!member.is_string()) {
      refuse_member("headers", "expected a flat object of strings, found " +
                                   std::string{member.type_name()} + " as \"" + name + "\"");
    }
    headers.emplace(name, member.get<std::string>());
  }
  return headers;
}

std::map<std::string, std::string_view> json_members(std::string_view line) {
  // The library skips the one and stops at the other, so they would pass for well-formed.
  if (line.starts_with(kByteOrderMark)) {
    refuse_member("line", "expected one JSON object, found a byte order mark before it");
  }
  if (line.find('\0') != std::string_view::npos) {
    refuse_member("line", "expected one JSON object, found a NUL byte");
  }
  try {
    if (!parse(line).is_object()) {
      refuse_member("line", "expected one JSON object, found another value");
    }
    return Scanner{line}.members();
  } catch (const json::exception& error) {
    refuse_member("line", "expected one JSON object; " + reason_of(error));
  }
}

std::string payload_member(const std::string& field, std::string_view text) {
  if (field == "payload") return without_space(text);
  auto bytes = decode_base64(text_member(field, text));
  if (!bytes) refuse_member(field, "expected base64 with padding, found something else");
  return std::move(*bytes);
}

}  // namespace penstock::cli
