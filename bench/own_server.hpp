// A PostgreSQL server of the benchmark's own, for who names none.
#pragma once

namespace penstock::bench {

/// Becomes scripts/bench_postgres.sh, which starts a server with fsync, runs this program again
/// with `arguments` and `--db`, and stops the server.
///
/// Throws: std::system_error.
[[noreturn]] void start_again_with_own_server(char** arguments);

}  // namespace penstock::bench
