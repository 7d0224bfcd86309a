// The queue of the PostgreSQL store under the contract.
#include "contract/queue/queue_contract.hpp"
#include "support/postgres_queue_fixture.hpp"

PENSTOCK_INSTANTIATE_QUEUE_CONTRACT(Postgres, postgres_queue());
PENSTOCK_INSTANTIATE_DURABLE_QUEUE_CONTRACT(Postgres, postgres_queue());
