// Where the tables of one store are: schema and prefix, and their names put into SQL text. The one
// place where an identifier is quoted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace penstock::postgres::detail {

/// `name` as an SQL identifier, whatever it contains.
[[nodiscard]] std::string quoted_identifier(std::string_view name);

/// `text` as an SQL literal that reads the same under every server setting.
[[nodiscard]] std::string quoted_literal(std::string_view text);

/// Immutable.
class Names {
 public:
  /// Throws `usage` for names that PostgreSQL would cut, or that could end a function's body.
  Names(std::string schema, std::string prefix);

  [[nodiscard]] const std::string& schema() const noexcept { return schema_; }
  [[nodiscard]] const std::string& prefix() const noexcept { return prefix_; }
  /// Of the advisory lock that `setup` holds.
  [[nodiscard]] std::int64_t setup_lock() const noexcept { return setup_lock_; }
  /// "schema"."prefix+object", quoted.
  [[nodiscard]] std::string qualified(std::string_view object) const;

  /// The text of an SQL file for this store.
  ///
  /// `:"schema"` becomes the quoted schema, `:"NAME"` the quoted prefix + NAME, `:'NAME'` the same
  /// as a literal. Within a function's body ($$…$$) too; not within
  /// comments, literals and quoted identifiers. The comment on top is left out.
  [[nodiscard]] std::string render(std::string_view text) const;

 private:
  [[nodiscard]] std::string plain(std::string_view variable) const;

  std::string schema_;
  std::string prefix_;
  std::int64_t setup_lock_ = 0;
};

}  // namespace penstock::postgres::detail
