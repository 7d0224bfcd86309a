#!/usr/bin/env python3
"""What must come of given orders of events, on a running PostgreSQL: one function a case.

    PENSTOCK_URL='host=… port=…' timelines.py [--mutant NAME] [CASE…]

Exits with 1 where one failed, and names it. Uses (drops and makes) the schema penstock_timelines.
"""
import argparse
import os
import sys
import threading
import traceback

from database import Failure, install, mutated, render, SQL
import database

SCHEMA = "penstock_timelines"
CASES = []
admin = None
mutant = "none"
opened = []


def Connection(name="timelines"):
    """One that ends with its case, and whose statements do not hang for ever."""
    opened.append(database.Connection(name))
    opened[-1].run("set statement_timeout = '20s'")
    return opened[-1]


def case(function):
    CASES.append(function)
    return function


def call(connection, name, *arguments):
    return connection.run(f"select * from {SCHEMA}.{name}({', '.join(arguments)})")


def enqueue(connection, count=1, **options):
    named = "".join(f", {name} => {value}" for name, value in options.items() if name != "queue")
    queue = options.get("queue", "q")
    return [int(connection.one(f"select {SCHEMA}.enqueue('{queue}', 'kind', 'x'{named})"))
            for _ in range(count)]


class Worker:
    def __init__(self, number=1, connection=None):
        self.number = number
        self.connection = connection or Connection()
        call(self.connection, "queue_register", str(number), "'timelines'")

    def claim(self, most=100, queue="q", alone=True, ageing=60_000_000):
        """The tokens and ids that were claimed, in order."""
        rows = call(self.connection, "queue_claim", str(self.number), f"'{queue}'", str(most),
                    "1000000", str(ageing), str(alone), "null")
        self.waits = rows[0][7] == "t"
        if not rows[1:]:
            return []
        base = min(int(row[0]) for row in rows[1:]) // 32 * 32
        bodies = call(self.connection, "queue_bodies", str(self.number), str(base))
        bodies.sort(key=lambda row: int(row[2]))
        return [(int(row[0]), int(row[1]), int(row[3])) for row in bodies]

    def ids(self, *arguments, **named):
        return [job for _, _, job in self.claim(*arguments, **named)]

    def complete(self, claim, ordinal):
        rows = call(self.connection, "queue_complete", str(self.number), f"array[{claim}]::bigint[]",
                    f"array['{{[{ordinal},{ordinal + 1})}}']::int4multirange[]", "false")
        return rows[0][1] != "{}"

    def end(self, claim, ordinal, outcome, error="''", progress="null"):
        return call(self.connection, "queue_finish", str(self.number), f"array[{claim}]::bigint[]",
                    f"array[{ordinal}]", f"array[{outcome}]::smallint[]", "array[0]::bigint[]",
                    f"array[{error}]", f"array[{progress}]::jsonb[]", "true", "false")

    def die(self):
        admin.run(f"update {SCHEMA}.queue_workers set dead = true where worker = {self.number}")
        call(admin, "queue_rescue", "100", "true", "false")


def promote(queue="q", rotor=0):
    promoted = 0
    while True:
        row = call(admin, "queue_promote", f"'{queue}'", "'-infinity'", "100", "1000", "null",
                   str(rotor))[0]
        promoted += int(row[0])
        if row[2] != "t":
            return promoted


def shards(count, queue="q"):
    admin.run(f"insert into {SCHEMA}.queue_meta(queue, enqueue_shards) values ('{queue}', {count}) "
              "on conflict (queue) do update set enqueue_shards = excluded.enqueue_shards")


def shard_of(job):
    return int(call(admin, "queue_show", str(job))[0][3])


def blocked(connection):
    """Waits until the server says that the connection's statement waits for a lock."""
    pid = connection.pid
    while admin.one(f"select cardinality(pg_blocking_pids({pid}))") == "0":
        if not connection.thread.is_alive():
            return False
    return True


def in_background(connection, sql):
    connection.pid = connection.one("select pg_backend_pid()")
    connection.answer = []

    def work():
        connection.answer.append(connection.run(sql))
    connection.thread = threading.Thread(target=work)
    connection.thread.start()


def refused(sql, code, connection=None):
    try:
        (connection or admin).run(sql)
    except Failure as failure:
        assert failure.code == code, failure
        return
    raise AssertionError(f"not refused: {sql}")


@case
def open_producer_is_not_passed():
    producer, other, worker = Connection(), Connection(), Worker()
    producer.run("begin")
    mine = enqueue(producer, 3)
    assert worker.claim() == []
    in_background(other, f"select {SCHEMA}.enqueue('q', 'kind', 'x')")
    assert blocked(other), "a second producer of the lane must wait"
    producer.run("commit")
    other.thread.join()
    assert worker.ids() == mine + [int(other.answer[0][0][0])]


@case
def lone_keyless_batch_takes_a_free_shard():
    shards(2)
    producer, other = Connection(), Connection()
    producer.run("begin")
    enqueue(producer)
    for _ in range(8):
        enqueue(other)  # Whatever the rotor says, it does not wait.
    producer.run("commit")


@case
def holes_and_cancelled_heads_do_not_wedge():
    worker, producer = Worker(), Connection()
    producer.run("begin")
    enqueue(producer, 3)
    producer.run("rollback")
    first, second, third = enqueue(admin, 3)
    assert call(admin, "queue_cancel", f"array[{first}]::bigint[]", "false") == [(str(first), "f")]
    assert worker.ids() == [second, third]


@case
def a_cancelled_middle_keeps_its_neighbours():
    worker = Worker()
    first, second, third = enqueue(admin, 3)
    call(admin, "queue_cancel", f"array[{second}]::bigint[]", "false")
    assert worker.ids(1) == [first]
    assert worker.ids(10) == [third]


@case
def many_cancelled_heads_are_passed_in_one_call():
    worker = Worker()
    ids = enqueue(admin, 600)
    call(admin, "queue_cancel", f"array{ids[:590]}::bigint[]", "false")
    assert worker.ids(5) == ids[590:595]


@case
def two_claimers_share_nothing():
    one, two = Worker(1), Worker(2)
    ids = enqueue(admin, 3)
    one.connection.run("begin")
    assert one.ids(2) == ids[:2]
    assert two.claim(2) == []
    one.connection.run("commit")
    assert two.ids(2) == ids[2:]


@case
def a_claim_rolled_back_leaves_its_jobs():
    one, two = Worker(1), Worker(2)
    ids = enqueue(admin, 2)
    one.connection.run("begin")
    one.claim()
    one.connection.run("rollback")
    assert two.ids() == ids


@case
def a_claim_looks_again_behind_its_lock():
    # The other one claims after this one has ranked the lanes: both stop at the same claim row.
    one, two = Worker(1), Worker(2)
    ids = enqueue(admin, 4)
    admin.run("select pg_advisory_lock(777)")
    text = mutated((SQL / "queue/functions/queue_claim.sql").read_text(), mutant).replace(
        "  for v_nth in 1 ..", "  if worker = 1 then perform pg_advisory_xact_lock_shared(777); "
        "end if;\n  for v_nth in 1 ..")
    admin.run(render(text, SCHEMA))
    in_background(one.connection, f"select * from {SCHEMA}.queue_claim(1, 'q', 10, 1000, 0, true, "
                                  "null)")
    assert blocked(one.connection)
    assert two.ids(2) == ids[:2]
    admin.run("select pg_advisory_unlock(777)")
    one.connection.thread.join()
    assert one.connection.answer, "the claim failed"
    assert sum(int(row[4]) for row in one.connection.answer[0][1:]) == 2


@case
def a_cancel_that_meets_a_claim_cancels_the_running_job():
    worker, operator = Worker(), Connection()
    job, = enqueue(admin)
    worker.connection.run("begin")
    (claim, ordinal, _), = worker.claim()
    in_background(operator, f"select * from {SCHEMA}.queue_cancel(array[{job}]::bigint[], false)")
    assert blocked(operator)
    worker.connection.run("commit")
    operator.thread.join()
    assert operator.answer[0] == [(str(job), "t")]
    lost = call(admin, "queue_lost", "1", f"array[{claim}]::bigint[]",
                "array['{[0,1)}']::int4multirange[]")
    assert lost == [(str(claim), "{[0,1)}")]
    assert not worker.complete(claim, ordinal)


@case
def an_old_snapshot_writes_to_the_present_slot():
    worker, old = Worker(), Connection()
    first = enqueue(admin, 3)
    old.run("begin isolation level repeatable read; select count(*) from pg_class")
    assert worker.ids() == first
    for lap in range(9):
        enqueue(admin)
        worker_row = worker.claim()
        for claim, ordinal, _ in worker_row:
            assert worker.complete(claim, ordinal)
        call(admin, "queue_rotate")
        for slot in range(8):
            call(admin, "queue_prune", str(slot), "1000")
    before = enqueue(admin)
    late = enqueue(old)
    old.run("commit")
    assert worker.ids() == before + late


@case
def slots_of_one_lane_are_claimed_in_order():
    worker = Worker()
    ids = []
    for _ in range(5):
        ids += enqueue(admin, 2)
        assert call(admin, "queue_rotate") == [("rotated",)]
    assert worker.ids(7) == ids[:7]
    assert worker.ids(7) == ids[7:]


@case
def a_completion_after_the_rescue_counts_for_nothing():
    worker, next_one = Worker(1), Worker(2)
    job, = enqueue(admin)
    (claim, ordinal, _), = worker.claim()
    worker.die()
    assert not worker.complete(claim, ordinal)
    assert worker.end(claim, ordinal, 1) == []
    promote()
    assert next_one.ids() == [job]
    assert call(admin, "queue_show", str(job))[0][6].split(",")[4] == "1", "charged once"


@case
def a_token_of_a_truncated_slot_is_lost():
    worker = Worker()
    enqueue(admin)
    (claim, ordinal, _), = worker.claim()
    assert worker.complete(claim, ordinal)
    call(admin, "queue_rotate")
    assert call(admin, "queue_prune", "0", "1000") == [("pruned",)]
    assert not worker.complete(claim, ordinal)


@case
def a_claim_counts_each_member_once():
    worker = Worker()
    enqueue(admin, 4)
    tokens = worker.claim()
    claim = tokens[0][0]
    done = call(admin, "queue_complete", "1", f"array[{claim}, {claim}]::bigint[]",
                "array['{[1,3)}', '{[2,99)}']::int4multirange[]", "false")
    assert done == [(str(claim), "{[1,4)}", "f")]
    refused(f"insert into {SCHEMA}.queue_finished select claim, now(), 0, 1, slot, 0, '{{[0,1)}}' "
            f"from {SCHEMA}.queue_claims", "23505")
    assert worker.complete(claim, 0)
    refused(f"insert into {SCHEMA}.queue_claims select claim + 1, worker, first, next, now(), lane, "
            f"n, slot, false, false from {SCHEMA}.queue_claims", "23505")


@case
def lowering_the_width_drains_all():
    shards(8)
    ids = [job for n in range(40) for job in enqueue(admin, ordering_key=f"'key{n}'")]
    shards(2)
    ids += [job for n in range(10) for job in enqueue(admin, ordering_key=f"'key{n}'")]
    worker, found = Worker(), []
    while True:
        claimed = worker.claim()
        if not claimed:
            break
        found += [job for _, _, job in claimed]
    assert sorted(found) == sorted(ids)


@case
def keys_keep_their_shard():
    shards(8)
    expected = int(admin.one(f"select {SCHEMA}.queue_shard_of('order-42', 8)"))
    job, = enqueue(admin, ordering_key="'order-42'")
    worker = Worker()
    assert shard_of(job) == expected
    (claim, ordinal, _), = worker.claim()
    worker.end(claim, ordinal, 1, "'failed'")
    promote(rotor=expected + 1)
    assert shard_of(job) == expected, "after a retry"
    (claim, ordinal, _), = worker.claim()
    worker.end(claim, ordinal, 3, "'failed'")
    call(admin, "queue_requeue", f"array[{job}]::bigint[]")
    promote(rotor=expected + 1)
    assert shard_of(job) == expected, "after a requeue"
    later, = enqueue(admin, ordering_key="'order-42'", run_at="now() + interval '1 ms'")
    admin.run("select pg_sleep(0.002)")
    promote(rotor=expected + 1)
    assert shard_of(later) == expected, "after its time"


@case
def moving_follows_the_rule_of_routing():
    shards(8)
    shards(3, "r")
    keyed = [job for n in range(20) for job in enqueue(admin, ordering_key=f"'key{n}'")]
    free = enqueue(admin, 20)
    source = {job: shard_of(job) for job in keyed}
    moved = call(admin, "queue_move", f"array{keyed + free}::bigint[]", "'r'", "null")
    assert sorted(int(row[0]) for row in moved) == sorted(keyed + free)
    for rotor in range(3):
        promote("r", rotor)
    for job in keyed:
        assert shard_of(job) == source[job] % 3
    assert all(shard_of(job) < 3 for job in free)
    assert call(admin, "queue_move", f"array[{keyed[0]}]::bigint[]", "'r'", "2::smallint") == []


@case
def a_rescue_returns_to_its_lane():
    shards(8)
    job, = enqueue(admin, ordering_key="'order-42'")  # shard 4 of 8, 0 of 2
    before = shard_of(job)
    worker = Worker()
    worker.claim()
    shards(2)
    retried, = enqueue(admin)
    worker.die()
    promote()
    assert before == 4 and shard_of(job) == 4
    other = Worker(2)
    for claim, ordinal, _ in other.claim(alone=False):
        other.end(claim, ordinal, 1)
    for rotor in range(4):
        promote(rotor=rotor)
    assert shard_of(retried) < 2, "a promotion stays below the width"


@case
def a_poison_job_dies_alone():
    poison, = enqueue(admin, max_attempts="3")
    friend, = enqueue(admin, max_attempts="2")
    for number in range(1, 20):
        worker = Worker(number)
        jobs = worker.claim()
        assert len(jobs) == 1 or number == 1, "a suspect is claimed alone"
        if number > 1 and jobs[0][2] == friend:
            assert worker.complete(*jobs[0][:2])
        else:
            worker.die()
        promote()
        if call(admin, "queue_show", str(poison))[0][0] == "dead":
            break
    assert call(admin, "queue_show", str(poison))[0][0] == "dead"
    assert call(admin, "queue_show", str(friend)) in ([], ) or Worker(50).ids() == [friend]


@case
def a_busy_process_leaves_a_suspect():
    job, = enqueue(admin)
    worker = Worker()
    worker.claim()
    worker.die()
    promote()
    behind, = enqueue(admin)
    two = Worker(2)
    assert two.claim(alone=False) == [] and two.waits
    assert two.ids(alone=True) == [job]
    assert two.ids(alone=False) == [behind]


@case
def a_lost_answer_is_given_back_uncharged():
    job, = enqueue(admin)
    worker = Worker()
    (claim, _, _), = worker.claim()
    assert call(admin, "queue_beat", "1", str(claim)) == [("t",)]
    assert call(admin, "queue_rescue", "10", "false", "false") == [("0", "0", "0")]
    call(admin, "queue_beat", "1", str(claim + 32))
    assert call(admin, "queue_rescue", "10", "false", "false") == [("1", "1", "0")]
    promote()
    body = call(admin, "queue_show", str(job))[0][6].split(",")
    assert body[4] == "0" and body[7] == "f", body


@case
def the_dead_stay_dead():
    worker = Worker()
    job, = enqueue(admin)
    assert call(admin, "queue_mark_dead", "1", "5") == [("f",)], "the beat went on"
    assert call(admin, "queue_mark_dead", "1", "0") == [("t",)]
    assert call(admin, "queue_beat", "1", "0") == [("f",)]
    assert worker.claim() == []
    assert Worker(2).ids() == [job]


@case
def extremes_do_not_overflow():
    enqueue(admin, run_at="now() - interval '30 days'", priority="4::smallint")
    enqueue(admin, run_at="'-infinity'", priority="4::smallint", queue="r")
    worker = Worker()
    (claim, ordinal, _), = worker.claim(ageing=1)
    worker.end(claim, ordinal, 1, "repeat('ä', 100000)")
    assert worker.claim(queue="r", ageing=1)
    promote()
    row = call(admin, "queue_list", "'ready'", "null", "null", "null", "0", "10")[0]
    assert len(row[14].encode()) <= 8192 and len(row[14]) > 4000


@case
def errors_and_progress_are_kept():
    job, = enqueue(admin)
    worker = Worker()
    for _ in range(22):
        (claim, ordinal, _), = worker.claim()
        assert worker.end(claim, ordinal, 1, "'failed'", "'{\"at\": 7}'")
        promote()
    state = admin.one(f"select (body).state from {SCHEMA}.queue_show({job})")
    assert state.count("failed") == 20 and '"at": 7' in state and '"attempt": 22' in state


@case
def ageing_brings_the_last_forward():
    old, = enqueue(admin, priority="4::smallint", run_at="now() - interval '7 seconds'")
    enqueue(admin, 5, priority="1::smallint")
    worker = Worker()
    assert worker.ids(1, ageing=2_000_000)[0] == old


@case
def a_paused_queue_does_not_hold_up_the_ring():
    idle = enqueue(admin, 3, queue="p")
    running, = enqueue(admin)
    admin.run(f"insert into {SCHEMA}.queue_meta(queue, paused) values ('p', true)")
    worker = Worker()
    assert worker.claim(queue="p") == []
    (claim, ordinal, _), = worker.claim()
    call(admin, "queue_rotate")
    assert call(admin, "queue_prune", "0", "1000") == [("active",)]
    assert call(admin, "queue_rehome", "0", "100", "1", "8", "1000") == [("rehomed",)]
    assert call(admin, "queue_slot_load", "0") == [("0", "0", "0")]
    assert worker.complete(claim, ordinal), "it outlived its slot"
    assert call(admin, "queue_show", str(running)) == []
    admin.run(f"update {SCHEMA}.queue_meta set paused = false")
    assert worker.ids(queue="p") == idle


@case
def prune_looks_again_behind_its_lock():
    # A completion that was under way blocks the prune; an enqueue that was is seen by it.
    late, pruner = Connection(), Connection()
    worker = Worker()
    for job in enqueue(admin, 2):
        (claim, ordinal, _), = worker.claim(1)
        worker.complete(claim, ordinal)
    late.run("begin")
    job, = enqueue(late)
    call(admin, "queue_rotate")
    in_background(pruner, f"select {SCHEMA}.queue_prune(0, 60000)")
    assert blocked(pruner)
    late.run("commit")
    pruner.thread.join()
    assert pruner.answer[0] == [("active",)]
    assert worker.ids() == [job]


@case
def unique_keys_answer_with_the_one_that_is_there():
    job, = enqueue(admin, unique_key="'u'")
    assert enqueue(admin, unique_key="'u'") == [job]
    first, second = Connection(), Connection()
    first.run("begin")
    mine, = enqueue(first, unique_key="'v'")
    in_background(second, f"select {SCHEMA}.enqueue('q', 'kind', 'x', unique_key => 'v')")
    assert blocked(second)
    first.run("commit")
    second.thread.join()
    assert second.answer[0] == [(str(mine),)]
    worker = Worker()
    for claim, ordinal, _ in worker.claim():
        assert worker.complete(claim, ordinal)
    assert enqueue(admin, unique_key="'u'") != [job]


@case
def unique_keys_follow_their_states():
    states = "array['scheduled', 'ready', 'retrying', 'completed']"
    job, = enqueue(admin, unique_key="'u'", unique_states=states)
    worker = Worker()
    (claim, ordinal, _), = worker.claim()
    other, = enqueue(admin, unique_key="'u'", unique_states=states)
    assert other != job, "free while it runs"
    worker.end(claim, ordinal, 1)
    assert enqueue(admin, unique_key="'u'") == [other]
    (claim, ordinal, _), = worker.claim()
    worker.complete(claim, ordinal)
    refused(f"select {SCHEMA}.enqueue('q', 'kind', 'x', unique_key => 'u', "
            "unique_states => array['ready'])", "PS001")


@case
def only_read_committed_is_taken():
    worker = Worker()
    enqueue(admin)
    worker.connection.run("set default_transaction_isolation = 'repeatable read'")
    refused(f"select * from {SCHEMA}.queue_claim(1, 'q', 1, 1, 0, true, null)", "PS001",
            worker.connection)
    enqueue(worker.connection)


@case
def savepoints_take_locks_and_rows_back():
    producer, other = Connection(), Connection()
    producer.run("begin; savepoint s")
    enqueue(producer)
    producer.run("rollback to s")
    job, = enqueue(other)
    mine, = enqueue(producer)
    producer.run("commit")
    assert Worker().ids() == [job, mine]


@case
def long_and_odd_names_work():
    name = "ü''\"$" * 33
    job, = enqueue(admin, queue=name)
    assert Worker().ids(queue=name) == [job]
    refused(f"select {SCHEMA}.enqueue(repeat('ü', 101), 'kind', 'x')", "PS001")
    refused(f"select {SCHEMA}.enqueue('q', '', 'x')", "PS001")
    refused(f"select {SCHEMA}.enqueue('q', 'kind', 'x', 5::smallint)", "PS001")
    refused(f"select {SCHEMA}.enqueue('q', 'kind', 'x', ordering_key => '')", "PS001")


@case
def the_hash_is_that_of_the_lanes():
    for key, value in (("", 2166136261), ("a", 3826002220), ("order-42", 1461995252),
                       ("octo-org/octo-repo", 750087692), ("日本", 2670128721)):
        for width in (1, 2, 3, 8, 64):
            found = admin.one(f"select {SCHEMA}.queue_shard_of('{key}', {width})")
            assert int(found) == value % width, (key, width, found)


@case
def the_lag_is_what_waits():
    enqueue(admin, 5)
    query = (SQL / "queue/statements/queue_lag.sql").read_text()
    seed = (f"select priority, enqueue_shard, enqueues.next_seq, claims.claim_seq, "
            f"enqueues.next_seq - claims.claim_seq as lag from {SCHEMA}.queue_claim_heads as claims "
            f"join {SCHEMA}.queue_enqueue_heads as enqueues using (queue, priority, enqueue_shard) "
            "where queue = 'q' order by priority, enqueue_shard")
    worker = Worker()
    assert [row[4] for row in admin.run(seed)] == ["5"]
    worker.claim(2)
    assert [row[4] for row in admin.run(seed)] == ["3"]
    worker.claim()
    assert [row[4] for row in admin.run(seed)] == ["0"]
    assert [row[5] for row in admin.run(render(query.split("select", 1)[0] and "select"
                                               + query.split("\nselect", 1)[1], SCHEMA))] == ["0"]


@case
def counts_are_exact():
    shards(4)
    ids = [job for n in range(30) for job in enqueue(admin, ordering_key=f"'key{n}'")]
    call(admin, "queue_cancel", f"array{ids[:5]}::bigint[]", "false")
    worker = Worker()
    tokens = worker.claim(10)
    worker.complete(*tokens[0][:2])
    worker.end(*tokens[1][:2], 3)
    worker.end(*tokens[2][:2], 1)
    enqueue(admin, run_at="now() + interval '1 hour'")
    sums = [sum(int(row[n]) for row in call(admin, "queue_counts", "null")) for n in range(3, 10)]
    taken = len(tokens)
    assert sums == [25 - taken, taken - 3, taken, 1, 1, 1, 1], sums
    call(admin, "queue_rotate")
    assert sums == [sum(int(row[n]) for row in call(admin, "queue_counts", "null"))
                    for n in range(3, 10)]


@case
def a_restored_dump_draws_above_what_it_has():
    job, = enqueue(admin)
    Worker().claim()
    assert call(admin, "queue_guard") == [("f",)]
    admin.run(f"select setval('{SCHEMA}.queue_position', 1, false), "
              f"setval('{SCHEMA}.queue_claim_base', 32, false)")
    admin.run(f"update {SCHEMA}.queue_ready set seq = seq + 1000, id = id + 1000; "
              f"update {SCHEMA}.queue_claims set first = first + 1000, next = next + 1000, "
              "claim = claim + 3200")
    assert call(admin, "queue_guard") == [("t",)]
    later, = enqueue(admin)
    assert later > job + 1000 and Worker(2).ids() == [later]


@case
def only_one_leads():
    assert call(admin, "lead", "'queue'", "'a'", "60000000") == [("t",)]
    assert call(admin, "lead", "'queue'", "'b'", "60000000") == [("f",)]
    assert call(admin, "lead", "'queue'", "'a'", "0") == [("f",)]
    assert call(admin, "lead", "'queue'", "'b'", "60000000") == [("t",)]


@case
def requeue_and_purge_of_the_dead():
    ids = enqueue(admin, 3, max_attempts="1", unique_key="'u' || clock_timestamp()")
    worker = Worker()
    for claim, ordinal, _ in worker.claim():
        worker.end(claim, ordinal, 3, "'no'")
    assert [int(row[0]) for row in call(admin, "queue_requeue", f"array{ids[:1]}::bigint[]")] == ids[:1]
    assert call(admin, "queue_purge_dead", f"array{ids[1:2]}::bigint[]", "0", "0") == [("1",)]
    assert call(admin, "queue_purge_dead", "null", "0", "10") == [("1",)]
    promote()
    assert worker.ids() == ids[:1]


def main():
    global admin, mutant
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mutant", default=os.environ.get("PENSTOCK_MUTANT", "none"))
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    mutant = options.mutant
    failed = []
    for function in CASES:
        if options.cases and function.__name__ not in options.cases:
            continue
        admin = Connection()
        install(admin, SCHEMA, mutant)
        try:
            function()
        except (AssertionError, Failure, IndexError, ValueError):
            failed.append(function.__name__)
            print(f"FAILED {function.__name__}\n{traceback.format_exc()}")
        while opened:
            opened.pop().close()
    print(f"{len(CASES) - len(failed)} held, {len(failed)} failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
