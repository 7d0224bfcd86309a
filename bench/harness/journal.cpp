// See journal.hpp.
#include "harness/journal.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <string>
#include <system_error>

namespace penstock::bench {

struct Journal::Contents {
  std::atomic<std::uint64_t> count;
  Record records[kCapacity];
};

namespace {

class File {
 public:
  File(const std::filesystem::path& path, int flags)
      : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0644)), path_(path) {
    if (descriptor_ < 0) fail();
  }
  ~File() { ::close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  [[noreturn]] void fail() const {
    throw std::system_error(errno, std::generic_category(), "the journal " + path_.string());
  }

 private:
  int descriptor_;
  std::filesystem::path path_;
};

}  // namespace

std::int64_t now_ns() noexcept {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void Journal::create(const std::filesystem::path& path) {
  const File file(path, O_RDWR | O_CREAT | O_EXCL);
  if (::ftruncate(file.descriptor(), sizeof(Contents)) != 0) file.fail();
}

Journal::Journal(const std::filesystem::path& path) {
  const File file(path, O_RDWR);
  void* const mapped =
      ::mmap(nullptr, sizeof(Contents), PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor(), 0);
  if (mapped == MAP_FAILED) file.fail();
  contents_ = static_cast<Contents*>(mapped);
}

Journal::~Journal() { ::munmap(contents_, sizeof(Contents)); }

void Journal::write(const Record& record) noexcept {
  const std::uint64_t place = contents_->count.fetch_add(1, std::memory_order_acq_rel);
  if (place < kCapacity) contents_->records[place] = record;
}

std::uint64_t Journal::count() const noexcept {
  return contents_->count.load(std::memory_order_acquire);
}

std::vector<Record> Journal::records() const {
  const std::uint64_t written = count();
  if (written > kCapacity) {
    throw std::runtime_error("a journal is full: " + std::to_string(written) + " records");
  }
  std::vector<Record> records;
  records.reserve(written);
  for (std::uint64_t i = 0; i < written; ++i) {
    // A process that was killed may have taken a place and not filled it.
    if (contents_->records[i].at_ns != 0) records.push_back(contents_->records[i]);
  }
  return records;
}

}  // namespace penstock::bench
