// A name alone proves nothing: somebody may have put another database where a demo once was. So the
// mark is in two places that must agree, the folder and the database.
#include "demo/workplace.hpp"

#include <array>
#include <fstream>
#include <system_error>

#include "penstock/error.hpp"
#include "penstock/store.hpp"

namespace penstock::cli::demo {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSqlite = "sqlite:";
constexpr std::string_view kSchema = "penstock_demo";
constexpr char kMarkFile[] = "mark";

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::usage, message, {.field = "db"});
}

Event mark_event(const EventId& id) { return {.type = "demo.mark", .id = id}; }

std::optional<EventId> read_mark(const fs::path& folder) {
  std::ifstream file{folder / kMarkFile};
  std::string text;
  std::getline(file, text);
  return EventId::parse(text);
}

void write_mark(const fs::path& folder, const EventId& id) {
  std::ofstream file{folder / kMarkFile};
  file << id.to_string() << '\n' << std::flush;
  if (!file) {
    throw Error(ErrorKind::unavailable, "the folder " + folder.string() + " cannot be written");
  }
}

/// Asks by publishing the mark once more, and takes it back.
bool holds(BusStore& store, const EventId& id) {
  const auto transaction = store.begin();
  const Event mark = mark_event(id);
  return store.publish({&mark, 1}, transaction.get()).at(0).status == PublishStatus::duplicate;
}

}  // namespace

Workplace::Workplace(const std::string& url) : url_(url) {
  if (url.starts_with(kSqlite)) {
    clear_file(std::string_view{url}.substr(kSqlite.size()));
  } else if (url.starts_with("postgresql://") || url.starts_with("postgres://")) {
    clear_schema();
  } else {
    refuse(
        "the demo needs a database of its own: expected --db sqlite:FILE or postgresql://…, found "
        "another store");
  }
  make_folder();
}

void Workplace::clear_file(std::string_view path) {
  if (path.empty() || path.find_first_of("?%") != std::string::npos || path.starts_with("//") ||
      path == ":memory:") {
    refuse("the demo takes a plain file: expected --db sqlite:FILE without options and escapes");
  }
  file_ = fs::absolute(path);
  folder_ = file_.string() + "-demo";
  const bool exists = fs::exists(file_) || fs::exists(folder_);
  if (exists && !is_ours()) {
    refuse(
        "expected no file, or one that an earlier demo made; found another: " + std::string(path) +
        ". Name another file, or delete this one and " + folder_.filename().string() + " yourself");
  }
  for (const char* const suffix : {"", "-wal", "-shm"}) fs::remove(file_.string() + suffix);
}

void Workplace::clear_schema() {
  for (const char* const option : {"schema=", "prefix="}) {
    if (url_.find(option) == std::string::npos) continue;
    refuse("the demo makes a schema of its own, " + std::string(kSchema) + ": leave " + option +
           " away");
  }
  url_ += (url_.find('?') == std::string::npos ? "?schema=" : "&schema=") + std::string(kSchema);
  folder_ = fs::absolute(std::string(kSchema) + "-journals");
  if (fs::exists(folder_) && !read_mark(folder_)) {
    refuse("expected no folder, or one that an earlier demo made; found another: " +
           folder_.string() + ". Run the demo elsewhere, or delete it yourself");
  }
  drop_tables(url_);
}

void Workplace::make_folder() const {
  fs::remove_all(folder_);
  std::error_code error;
  if (!fs::create_directory(folder_, error)) {
    throw Error(ErrorKind::unavailable,
                "the folder " + folder_.string() + " cannot be made: " + error.message());
  }
}

bool Workplace::is_ours() const {
  const std::optional<EventId> mark = read_mark(folder_);
  if (!mark) return false;
  if (!fs::exists(file_)) return true;  // The user deleted the file and left the folder.
  try {
    const auto store = open_store(url_);
    return holds(store->bus(), *mark);
  } catch (const Error&) {
    return false;  // No store of ours, or one that cannot be read: not to be deleted.
  }
}

void Workplace::mark(BusStore& store) const {
  const EventId id = EventId::generate();
  write_mark(folder_, id);
  const Event mark = mark_event(id);
  store.publish({&mark, 1}, nullptr);
}

}  // namespace penstock::cli::demo
