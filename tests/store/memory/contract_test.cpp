// The memory store under the contract.
#include "contract/contract.hpp"
#include "support/memory_fixture.hpp"

PENSTOCK_INSTANTIATE_CONTRACT(Memory, memory_store());
