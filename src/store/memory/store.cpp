// The public class of the memory store: wiring only.
#include "penstock/stores/memory.hpp"

#include "store/memory/bus.hpp"
#include "store/memory/queue/memory_queue.hpp"

namespace penstock {
namespace {

MemoryStoreOptions with_clock(MemoryStoreOptions options) {
  if (!options.clock) options.clock = std::make_shared<SystemClock>();
  return options;
}

}  // namespace

class MemoryStore::Impl {
 public:
  explicit Impl(const MemoryStoreOptions& options) : queue(options), bus(options, queue) {}

  memory::MemoryQueue queue;
  memory::MemoryBus bus;
};

MemoryStore::MemoryStore(MemoryStoreOptions options)
    : impl_(std::make_unique<Impl>(with_clock(std::move(options)))) {}
MemoryStore::~MemoryStore() = default;

BusStore& MemoryStore::bus() { return impl_->bus; }

QueueStore& MemoryStore::queue() { return impl_->queue; }

std::vector<Event> MemoryStore::published() const { return impl_->bus.published(); }

std::vector<NewJob> MemoryStore::enqueued() const { return impl_->queue.enqueued(); }

}  // namespace penstock
