// The PostgreSQL store under the contract.
#include "contract/contract.hpp"
#include "support/postgres_fixture.hpp"

PENSTOCK_INSTANTIATE_CONTRACT(Postgres, postgres_store());
PENSTOCK_INSTANTIATE_DURABLE_CONTRACT(Postgres, postgres_store());
