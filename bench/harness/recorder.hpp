// The handler of every run: it does nothing but note what it got. It can be told to do that wrong,
// so that a test can see the verdict notice.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>

#include "harness/journal.hpp"
#include "harness/work_order.hpp"

namespace penstock::bench {

/// Threads: `handle` from any.
class Recorder {
 public:
  Recorder(Journal& journal, Keys keys, Defect defect)
      : journal_(journal), keys_(keys), defect_(defect) {}
  /// Notes what a defect has held back.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  void handle(std::string_view payload);

 private:
  void note(std::uint32_t number) { journal_.write({.number = number, .at_ns = now_ns()}); }
  void handle_wrongly(std::uint32_t number);

  Journal& journal_;
  Keys keys_;
  Defect defect_;
  std::mutex mutex_{};
  bool done_ = false;                    // The defect has struck.
  std::optional<std::uint32_t> held_{};  // Waits for its successor of the same key.
};

}  // namespace penstock::bench
