// The SQLite store under the contract.
#include "contract/contract.hpp"
#include "support/sqlite_fixture.hpp"

PENSTOCK_INSTANTIATE_CONTRACT(Sqlite, sqlite_store());
PENSTOCK_INSTANTIATE_DURABLE_CONTRACT(Sqlite, sqlite_store());
