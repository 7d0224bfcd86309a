// The demo's own database, a SQLite file or a PostgreSQL schema, and the folder of journals. All is
// made anew by each run, so the demo must be sure that what it deletes is its own.
#pragma once

#include <filesystem>
#include <string>

#include "penstock/bus_store.hpp"

namespace penstock::cli::demo {

class Workplace {
 public:
  /// Clears away an earlier run and makes the folder.
  ///
  /// A file is an earlier run's only where the folder beside it names an event that is in it. On
  /// PostgreSQL the schema is the demo's by its name, and the folder by the mark in it.
  /// Throws: usage (another kind of store, or things that no demo made; nothing was touched),
  ///         unavailable.
  explicit Workplace(const std::string& url);

  /// Publishes the event by which the next run knows the database. Call it before other work.
  void mark(BusStore& store) const;

  /// Where the demo's store is: what was asked for, with the demo's own schema.
  [[nodiscard]] const std::string& url() const noexcept { return url_; }
  [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }

 private:
  void clear_file(std::string_view path);
  void clear_schema();
  [[nodiscard]] bool is_ours() const;
  void make_folder() const;

  std::string url_;
  std::filesystem::path file_{};
  std::filesystem::path folder_{};
};

}  // namespace penstock::cli::demo
