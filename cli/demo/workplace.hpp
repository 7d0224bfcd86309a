// The demo's own database file and the folder of journals beside it. Both are made anew by each
// run, so the demo must be sure that what it deletes is its own.
#pragma once

#include <filesystem>
#include <string>

#include "penstock/bus_store.hpp"

namespace penstock::cli::demo {

class Workplace {
 public:
  /// Clears away an earlier run and makes the folder.
  ///
  /// The file is an earlier run's only where the folder beside it names an event that is in it.
  /// Throws: usage (no SQLite file, or a file that no demo made; nothing was touched), unavailable.
  explicit Workplace(const std::string& url);

  /// Publishes the event by which the next run knows the file. Call it before other work.
  void mark(BusStore& store) const;

  [[nodiscard]] const std::string& url() const noexcept { return url_; }
  [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }

 private:
  [[nodiscard]] bool is_ours() const;

  std::string url_;
  std::filesystem::path file_;
  std::filesystem::path folder_;
};

}  // namespace penstock::cli::demo
