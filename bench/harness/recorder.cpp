// See recorder.hpp.
#include "harness/recorder.hpp"

namespace penstock::bench {

Recorder::~Recorder() {
  if (held_) note(*held_);
}

void Recorder::handle(std::string_view payload) {
  const std::uint32_t number = number_of(payload);
  if (defect_ == Defect::none) {
    note(number);
  } else {
    handle_wrongly(number);
  }
}

void Recorder::handle_wrongly(std::uint32_t number) {
  const std::lock_guard lock(mutex_);
  if (done_) {
    note(number);
    return;
  }
  switch (defect_) {
    case Defect::none: break;
    case Defect::skip_one: done_ = true; return;
    case Defect::twice:
      done_ = true;
      note(number);
      break;
    case Defect::swap_two:
      if (!held_) {
        held_ = number;
        return;
      }
      if (key_of(number, keys_) == key_of(*held_, keys_)) {
        done_ = true;
        note(number);
        number = *held_;
        held_.reset();
      }
      break;
  }
  note(number);
}

}  // namespace penstock::bench
