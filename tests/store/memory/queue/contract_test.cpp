// The queue of the Memory store under the contract.
#include "contract/queue/queue_contract.hpp"
#include "support/memory_queue_fixture.hpp"

PENSTOCK_INSTANTIATE_QUEUE_CONTRACT(Memory, memory_queue());
