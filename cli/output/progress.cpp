// Draws the bar with one carriage return per frame; no cursor tricks that a log would show.
#include "output/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "output/say.hpp"

namespace penstock::cli {

Progress::Progress(std::string label, Mode mode)
    : label_(std::move(label)),
      enabled_(mode == Mode::on_terminal && ::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() { finish(); }

void Progress::update(std::uint64_t done, std::uint64_t total, const std::string& note) {
  if (!enabled_) return;
  const auto now = Clock::now();
  if (now < next_draw_) return;
  next_draw_ = now + std::chrono::milliseconds{100};

  constexpr std::size_t kWidth = 30;
  const double share =
      total == 0 ? 0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(kWidth));
  const std::string bar = std::string(filled, '#') + std::string(kWidth - filled, '.');
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  say(fmt::format("\r\x1b[K{} [{}] {:3.0f} %  {}/{}  {:.0f} s  {}", label_, bar, share * 100, done,
                  total, elapsed, note));
  drawn_ = true;
}

void Progress::finish() {
  if (drawn_) say("\r\x1b[K");
  drawn_ = false;
  enabled_ = false;
}

}  // namespace penstock::cli
