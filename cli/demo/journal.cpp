// Lines of tab-separated fields: `P id type key` (key empty where absent), `H handler id at
// latency`, `F handler`. Types, keys and handlers of the demo hold no tab and no newline.
#include "demo/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

#include "penstock/error.hpp"

namespace penstock::cli::demo {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw Error(ErrorKind::unavailable, what + ": " + std::generic_category().message(errno));
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = line.find('\t', begin);
    fields.push_back(line.substr(begin, end - begin));
    if (end == std::string::npos) return fields;
    begin = end + 1;
  }
}

[[noreturn]] void not_a_journal(const std::string& line) {
  throw Error(ErrorKind::internal, "a journal of the demo holds a line that is no record: " + line);
}

std::int64_t number_of(const std::string& field, const std::string& line) {
  std::int64_t value = 0;
  const auto [rest, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc{} || rest != field.data() + field.size()) not_a_journal(line);
  return value;
}

EventId id_of(const std::string& field, const std::string& line) {
  const auto id = EventId::parse(field);
  if (!id) not_a_journal(line);
  return *id;
}

}  // namespace

JournalWriter::JournalWriter(const std::filesystem::path& path)
    : file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {
  if (!file_.is_open()) fail("the journal " + path.string() + " cannot be opened");
}

void JournalWriter::write(const HandledRecord& record) {
  append(fmt::format("H\t{}\t{}\t{}\t{}\n", record.handler, record.id.to_string(), record.at_ns,
                     record.latency_us));
}

void JournalWriter::write(const std::vector<PublishedRecord>& records) {
  std::string lines;
  for (const PublishedRecord& record : records) {
    lines +=
        fmt::format("P\t{}\t{}\t{}\n", record.id.to_string(), record.type, record.key.value_or(""));
  }
  append(std::move(lines));
}

void JournalWriter::write_failure(std::string_view handler) {
  append(fmt::format("F\t{}\n", handler));
}

void JournalWriter::append(std::string line) {
  std::unique_lock lock{mutex_};
  waiting_ += line;
  const std::uint64_t ticket = next_ticket_++;
  while (safe_ <= ticket) {
    if (has_failed_) throw Error(ErrorKind::unavailable, "the journal cannot be written");
    if (is_syncing_) {
      synced_.wait(lock);
      continue;
    }
    // This thread writes for all that wait.
    is_syncing_ = true;
    const std::string batch = std::exchange(waiting_, {});
    const std::uint64_t safe_then = next_ticket_;
    lock.unlock();
    const bool is_safe =
        ::write(file_.get(), batch.data(), batch.size()) == static_cast<ssize_t>(batch.size()) &&
        ::fdatasync(file_.get()) == 0;
    lock.lock();
    is_syncing_ = false;
    if (is_safe) safe_ = safe_then;
    has_failed_ = !is_safe;
    synced_.notify_all();
  }
}

void JournalReader::read_on() {
  for (const auto& entry : std::filesystem::directory_iterator{folder_}) {
    if (entry.path().extension() == ".journal") read_file(entry.path());
  }
}

void JournalReader::read_file(const std::filesystem::path& path) {
  std::ifstream file{path, std::ios::binary};
  if (!file) fail("the journal " + path.string() + " cannot be read");
  std::uint64_t& offset = offsets_[path];
  file.seekg(static_cast<std::streamoff>(offset));
  std::string line;
  // At the end of the file getline gives a cut line too; only a newline makes it a record.
  while (std::getline(file, line) && !file.eof()) {
    offset += line.size() + 1;
    take(line);
  }
}

void JournalReader::take(const std::string& line) {
  const std::vector<std::string> fields = fields_of(line);
  if (fields[0] == "P" && fields.size() == 4) {
    PublishedRecord record{.id = id_of(fields[1], line), .type = fields[2]};
    if (!fields[3].empty()) record.key = fields[3];
    published_.push_back(std::move(record));
  } else if (fields[0] == "H" && fields.size() == 5) {
    handled_.push_back({.handler = fields[1],
                        .id = id_of(fields[2], line),
                        .at_ns = number_of(fields[3], line),
                        .latency_us = number_of(fields[4], line)});
  } else if (fields[0] == "F" && fields.size() == 2) {
    ++failures_;
  } else {
    not_a_journal(line);
  }
}

std::filesystem::path published_journal(const std::filesystem::path& folder) {
  return folder / "published.journal";
}

std::filesystem::path worker_journal(const std::filesystem::path& folder, int worker) {
  return folder / fmt::format("worker-{}.journal", worker);
}

}  // namespace penstock::cli::demo
