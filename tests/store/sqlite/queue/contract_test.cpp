// The queue of the SQLite store under the contract.
#include "contract/queue/queue_contract.hpp"
#include "support/sqlite_queue_fixture.hpp"

PENSTOCK_INSTANTIATE_QUEUE_CONTRACT(Sqlite, sqlite_queue());
PENSTOCK_INSTANTIATE_DURABLE_QUEUE_CONTRACT(Sqlite, sqlite_queue());
