// The public class of the memory store: wiring only.
#include "penstock/stores/memory.hpp"

#include "store/memory/bus.hpp"

namespace penstock {
namespace memory {
namespace {

MemoryStoreOptions with_clock(MemoryStoreOptions options) {
  if (!options.clock) options.clock = std::make_shared<SystemClock>();
  return options;
}

}  // namespace

MemoryBus::MemoryBus(MemoryStoreOptions options) : options_(with_clock(std::move(options))) {}

}  // namespace memory

class MemoryStore::Impl {
 public:
  explicit Impl(MemoryStoreOptions options) : bus(std::move(options)) {}
  memory::MemoryBus bus;
};

MemoryStore::MemoryStore(MemoryStoreOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}
MemoryStore::~MemoryStore() = default;

BusStore& MemoryStore::bus() { return impl_->bus; }

std::vector<Event> MemoryStore::published() const { return impl_->bus.published(); }

}  // namespace penstock
