#!/usr/bin/env python3
"""Checks that the hot functions touch few buffers per job, whatever the planner believes.

Three pictures: empty tables, never analysed; many rows since the last analyse of empty tables; few
rows after an analyse of many. Counted are the buffers that the session hit or read, not the time.

    PENSTOCK_URL='host=… port=…' plans.py [--rows N]

Exits with 1 where a function exceeds its bound. Uses (drops and makes) the schema penstock_plans.
"""
import argparse
import json
import sys

from database import Connection, install

SCHEMA = "penstock_plans"
BATCH = 500
# Most buffers per call, for a batch of 500 jobs of 256 bytes: about three times what is needed.
BOUNDS = {"enqueue": 4000, "claim": 600, "bodies": 600, "complete": 150, "claim of none": 150}


def buffers(connection, sql):
    plan = json.loads(connection.one(f"explain (analyze, buffers, timing off, format json) {sql}"))
    top = plan[0]["Plan"]
    return top["Shared Hit Blocks"] + top["Shared Read Blocks"] + top["Shared Dirtied Blocks"]


def fill(connection, rows):
    for _ in range(max(rows // 5000, 1)):
        connection.run(enqueue(min(rows, 5000)))


def enqueue(count):
    fields = ["'q'::text", "'kind'::text", "2::smallint", "null::text",
              "convert_to(repeat('x', 256), 'UTF8')", "null::text", "null::jsonb",
              "null::timestamptz", "null::bigint", "25", "null::text", "15::smallint"]
    arrays = ", ".join(f"array_fill({field}, array[{count}])" for field in fields)
    return f"select count(*) from {SCHEMA}.queue_enqueue({arrays}, 0)"


def claim(batch):
    return (f"select * from {SCHEMA}.queue_claim(1, 'q', {batch}, 100000000, 60000000, false, "
            "null)")


def measure(connection):
    """Buffers of each call of the second round: the first one reads catalogues too."""
    round_of_calls(connection)
    return round_of_calls(connection)


def round_of_calls(connection):
    """The claim that is measured is rolled back, and repeated."""
    found = {"enqueue": buffers(connection, enqueue(BATCH))}
    connection.run("begin")
    found["claim"] = buffers(connection, claim(BATCH))
    connection.run("rollback")
    rows = connection.run(claim(BATCH))
    claims = [int(row[0]) for row in rows[1:]]
    base = min(claims) // 32 * 32
    found["bodies"] = buffers(connection, f"select * from {SCHEMA}.queue_bodies(1, {base})")
    members = ",".join(f"'{{[0,{row[4]})}}'" for row in rows[1:])
    found["complete"] = buffers(
        connection, f"select * from {SCHEMA}.queue_complete(1, array{claims}::bigint[], "
                    f"array[{members}]::int4multirange[], false)")
    return found


def start(connection):
    install(connection, SCHEMA)
    connection.run(f"select {SCHEMA}.queue_register(1, 'plans')")


def analyse(connection):
    for table in ("ready", "claims", "finished", "tombstones", "lanes", "deferred", "workers"):
        connection.run(f"analyze {SCHEMA}.queue_{table}")


def pictures(rows):
    connection = Connection("plans")
    start(connection)
    yield "never analysed", connection, measure(connection)
    start(connection)
    analyse(connection)
    fill(connection, rows)
    yield f"{rows} rows since the last analyse", connection, measure(connection)
    # Drained, slot by slot, without a new look.
    analyse(connection)
    while True:
        claims = connection.run(claim(20000))[1:]
        if not claims:
            break
        for row in claims:
            connection.run(f"select * from {SCHEMA}.queue_complete(1, array[{row[0]}]::bigint[], "
                           f"array['{{[0,{row[4]})}}']::int4multirange[], false)")
    found = {"claim of none": buffers(connection, claim(BATCH))}
    connection.run(f"select {SCHEMA}.queue_rotate()")
    assert connection.one(f"select {SCHEMA}.queue_prune(0, 1000)") == "pruned"
    found.update(measure(connection))
    yield f"few rows, analysed when there were {rows}", connection, found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1000000)
    failed = False
    for name, connection, found in pictures(parser.parse_args().rows):
        for call, count in found.items():
            verdict = "" if count <= BOUNDS[call] else f"  MORE THAN {BOUNDS[call]}"
            failed = failed or bool(verdict)
            print(f"{name}: {call}: {count} buffers, {count / BATCH:.2f} per job{verdict}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
