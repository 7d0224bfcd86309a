#!/usr/bin/env python3
"""Tries to break the queue on a running PostgreSQL, and says what it found.

Producers in several isolation levels, with rollbacks, savepoints, keys, unique keys and scheduled
jobs; workers that die, lose answers, complete late, twice and what they never had; cancels, moves,
widths that change; two maintenance loops. Then everything must drain.

    PENSTOCK_URL='host=… port=…' hammer.py [--seconds N] [--seed N] [--mutant NAME]

Exits with 0 where no job was lost, none ended twice, none was handed out twice without a reason, and
each lane was claimed in order; else with 1. Uses (drops and makes) the schema penstock_hammer.
"""
import argparse
import os
import collections
import random
import sys
import threading
import time

from database import Connection, Failure, install

SCHEMA = "penstock_hammer"
EXPECTED = {"40001", "40P01", "55P03"}  # conflict, deadlock of several calls, no lock in time


def multirange(ordinals):
    return "{" + ",".join(f"[{n},{n + 1})" for n in sorted(ordinals)) + "}"


def members(text):
    """The ordinals of a multirange as the server prints it."""
    found = set()
    for piece in text.strip("{}").replace("),", ");").split(";"):
        if piece:
            first, last = piece.strip("[)").split(",")
            found.update(range(int(first), int(last)))
    return found


class Journal:
    """What the program saw committed, and the verdict on it."""

    def __init__(self):
        self.lock = threading.Lock()
        self.committed = set()
        self.ended = collections.Counter()
        self.handed = collections.Counter()      # (job, attempt)
        self.returned = collections.Counter()    # (job, attempt) given back uncharged
        self.out_of_order = set()                # jobs whose place in a lane is not their id's
        self.claims = []                         # (lane, claimed_at, [ids])
        self.seen = collections.Counter()
        self.errors = collections.Counter()
        self.tokens = collections.Counter()

    def note(self, what, count=1):
        with self.lock:
            self.seen[what] += count

    def error(self, where, failure):
        with self.lock:
            self.errors[f"{where} {str(failure)[:90]}"] += 1

    def unexpected(self):
        return {k: v for k, v in self.errors.items() if k.split()[1] not in EXPECTED}


class Run:
    def __init__(self, seed, journal):
        self.seed = seed
        self.journal = journal
        self.producing = True
        self.working = True

    def random(self, salt):
        return random.Random(self.seed * 1000 + salt)


def sql(name, *arguments):
    return f"select * from {SCHEMA}.{name}({', '.join(arguments)})"


def array(values, kind):
    return "array[" + ",".join(values) + f"]::{kind}[]"


def batch(rnd, jobs):
    """A call of queue_enqueue for random jobs; and those whose place is not their id's."""
    queue, priority = rnd.choice([("q", 2), ("q", 2), ("q", 1), ("r", 2)]), None
    queue, priority = queue
    mixed = rnd.random() < .2
    queues = [rnd.choice("qr") if mixed else queue for _ in range(jobs)]
    keys = [f"'k{rnd.randrange(9)}'" if rnd.random() < (.5 if mixed else .1) else "null"
            for _ in range(jobs)]
    unique = [f"'u{rnd.randrange(400)}'" if rnd.random() < .05 else "null" for _ in range(jobs)]
    later = [rnd.random() < .05 for _ in range(jobs)]
    odd = [l or u != "null" for l, u in zip(later, unique)]
    states = [str(rnd.choice([15, 15, 11, 31])) for _ in range(jobs)]
    return sql("queue_enqueue", array([f"'{q}'" for q in queues], "text"),
               f"array_fill('kind'::text, array[{jobs}])",
               f"array_fill({priority}::smallint, array[{jobs}])", array(keys, "text"),
               f"array_fill('\\x00'::bytea, array[{jobs}])",
               f"array_fill(null::text, array[{jobs}])", f"array_fill(null::jsonb, array[{jobs}])",
               array(["now() + interval '60 ms'" if l else "null" for l in later], "timestamptz"),
               f"array_fill(null::bigint, array[{jobs}])",
               f"array_fill({rnd.choice([1000, 1000, 2])}, array[{jobs}])",
               array(unique, "text"), array(states, "smallint"), str(rnd.randrange(64))), odd


def produce(run, number):
    rnd, journal, connection = run.random(number), run.journal, Connection()
    connection.run("set deadlock_timeout = '30ms'")
    while run.producing:
        mine, odd_ones = [], []
        try:
            level = rnd.choices(["read committed", "repeatable read", "serializable"], [6, 3, 1])[0]
            connection.run(f"begin isolation level {level}; select count(*) from pg_class")
            for _ in range(rnd.choice([1, 1, 1, 2])):
                if rnd.random() < .15:
                    connection.run("savepoint s")
                    connection.run(batch(rnd, 2)[0])
                    connection.run("rollback to s")
                call, odd = batch(rnd, rnd.choice([1, 3, 10]))
                for row in connection.run(call):
                    if row[2] == "t":
                        mine.append(int(row[1]))
                        if odd[int(row[0]) - 1]:
                            odd_ones.append(int(row[1]))
            if rnd.random() < .1:
                time.sleep(rnd.random() * .3)
            if rnd.random() < .15:
                connection.run("rollback")
                journal.note("rolled back")
                continue
            with journal.lock:
                journal.out_of_order.update(odd_ones)
            connection.run("commit")
            with journal.lock:
                journal.committed.update(mine)
        except Failure as failure:
            journal.error("produce", failure)
            connection.run("rollback")
        time.sleep(rnd.random() * .01)


class Worker:
    def __init__(self, run, number):
        self.run, self.rnd, self.journal = run, run.random(100 + number), run.journal
        self.connection = Connection()
        self.held = []           # [claim, {ordinal: (job, attempt)}]
        self.suspect = False     # one is held, alone
        self.register()

    def register(self):
        self.worker = self.rnd.getrandbits(62)
        self.base = None
        self.connection.run(sql("queue_register", str(self.worker), "'hammer'"))

    def call(self, text):
        return self.connection.run(text)

    def claim(self):
        alone = not self.held
        rows = self.call(sql("queue_claim", str(self.worker), f"'{self.rnd.choice('qqr')}'",
                             str(self.rnd.choice([1, 3, 20, 50])), "100000", "1000000",
                             str(alone), str(self.base or "null") + "::bigint"))
        base = self.base
        claims = {int(row[0]): row for row in rows[1:]}
        self.base = int(rows[0][6])
        if not claims:
            return 0
        first = min(claims) // 32 * 32 if base is None else base
        bodies = self.call(sql("queue_bodies", str(self.worker), str(first)))
        if len(bodies) != sum(int(row[4]) for row in claims.values()):
            self.journal.note("BODIES MISSING")
        if self.rnd.random() < .01:
            # The answer is lost: this process never learns of it.
            self.journal.note("answers lost")
            with self.journal.lock:
                self.journal.out_of_order.update(int(row[3]) for row in bodies)
            return len(bodies)
        found = collections.defaultdict(dict)
        for row in bodies:
            found[int(row[0])][int(row[1])] = (int(row[3]), int(row[9]))
            self.suspect = self.suspect or row[11] == "t"
        with self.journal.lock:
            for claim, jobs in found.items():
                self.journal.handed.update(jobs.values())
                self.journal.claims.append((int(claims[claim][1]), claims[claim][5],
                                            [jobs[n][0] for n in sorted(jobs) if jobs[n][1] == 0]))
        if self.suspect and (len(bodies) != 1 or not alone):
            self.journal.note("SUSPECT NOT ALONE")
        self.held += [[claim, jobs] for claim, jobs in found.items()]
        return len(bodies)

    def end(self, claim, jobs, ordinals, worker):
        """Ends attempts, one way or another, and journals what the database says of it."""
        if self.rnd.random() < .75:
            asked = multirange(set(ordinals) | ({9999} if self.rnd.random() < .05 else set()))
            rows = self.call(sql("queue_complete", str(worker), f"array[{claim},{claim}]::bigint[]",
                                 f"array['{asked}','{asked}']::int4multirange[]",
                                 str(self.rnd.random() < .3)))
            for row in rows:
                with self.journal.lock:
                    for n in members(row[1]):
                        self.journal.ended[jobs[n][0]] += 1
                        self.journal.tokens[(claim, n)] += 1
                if row[2] == "t":
                    self.journal.note("busy")
                    return False
            return True
        ordinals = sorted(ordinals)
        outcomes = [self.rnd.choice([1, 1, 2, 6, 3, 4, 0]) for _ in ordinals]
        # Before the call: a job that comes back can be claimed before this thread goes on.
        with self.journal.lock:
            for n, outcome in zip(ordinals, outcomes):
                self.journal.out_of_order.add(jobs[n][0])
                self.journal.returned[jobs[n]] += outcome in (2, 6)
        count = f"array[{len(ordinals)}]"
        rows = self.call(sql("queue_finish", str(worker), f"array_fill({claim}::bigint, {count})",
                             array(map(str, ordinals), "int"), array(map(str, outcomes), "smallint"),
                             f"array_fill(1000::bigint, {count})",
                             f"array_fill('failed'::text, {count})", "null", "true", "false"))
        for row in rows:
            n = ordinals[int(row[0]) - 1]
            with self.journal.lock:
                self.journal.tokens[(claim, n)] += 1
                if int(row[1]) in (0, 3, 4):
                    self.journal.ended[jobs[n][0]] += 1
        return True

    def die(self):
        """Its rows are given up; some of what it completes afterwards still comes in time."""
        with self.journal.lock:
            for _, jobs in self.held:
                self.journal.out_of_order.update(job for job, _ in jobs.values())
        self.call(f"update {SCHEMA}.queue_workers set dead = true where worker = {self.worker}"
                  if self.rnd.random() < .7 else
                  f"delete from {SCHEMA}.queue_workers where worker = {self.worker}")
        dead, held = self.worker, self.held
        self.held, self.suspect = [], False
        self.register()
        self.journal.note("deaths")
        for claim, jobs in held[:3]:
            if self.rnd.random() < .5:
                self.end(claim, jobs, set(jobs), dead)
                self.journal.note("late")

    def beat(self):
        oldest = min([claim for claim, _ in self.held] + [self.base or 0])
        self.call(sql("queue_beat", str(self.worker), str(oldest)))

    def step(self):
        rnd, got = self.rnd, 0
        lull = self.run.producing and int(time.time() * 1.2) % 2  # so that lanes fill
        if not self.suspect and not lull:
            got = self.claim()
        if rnd.random() < .05:
            self.beat()
        if rnd.random() < .02 and self.run.producing:
            self.die()
        elif self.held and (len(self.held) > 3 or not got or self.suspect):
            place = rnd.randrange(len(self.held))
            claim, jobs = self.held[place]
            part = set(rnd.sample(sorted(jobs), rnd.randint(1, len(jobs))))
            if self.end(claim, jobs, part, self.worker):
                if rnd.random() > .02:  # else it comes again, and must count for nothing
                    for n in part:
                        del jobs[n]
            if not jobs:
                self.held.pop(place)
            self.suspect = self.suspect and bool(self.held)
        elif not got:
            time.sleep(.003)

    def work(self):
        while self.run.working or self.held:
            try:
                self.step()
            except Failure as failure:
                self.journal.error("work", failure)


def operate(run):
    rnd, journal, connection = run.random(7), run.journal, Connection()
    while run.producing:
        with journal.lock:
            recent = sorted(journal.committed)[-80:]
        try:
            ids = rnd.sample(recent, min(len(recent), rnd.choice([1, 3, 20])))
            listed = array(map(str, ids), "bigint")
            if ids and rnd.random() < .7:
                rows = connection.run(sql("queue_cancel", listed, "false"))
                with journal.lock:
                    journal.ended.update(int(row[0]) for row in rows)
                for row in rows:
                    journal.note("cancelled running" if row[1] == "t" else "cancelled waiting")
            elif ids:
                with journal.lock:
                    journal.out_of_order.update(ids)
                rows = connection.run(sql("queue_move", listed, rnd.choice(["'q'", "'r'", "null"]),
                                          rnd.choice(["1::smallint", "3::smallint", "null"])))
                journal.note("moved", len(rows))
            if rnd.random() < .05:
                connection.run(f"insert into {SCHEMA}.queue_meta(queue, enqueue_shards) values ('q', "
                               f"{rnd.choice([1, 2, 4, 8])}) on conflict (queue) do update "
                               "set enqueue_shards = excluded.enqueue_shards")
        except Failure as failure:
            journal.error("operate", failure)
        time.sleep(.01)


def maintain(run, number):
    rnd, journal, connection = run.random(50 + number), run.journal, Connection()
    while run.working:
        calls = [("promote", sql("queue_promote", f"'{queue}'", "'-infinity'", "100",
                                 str(rnd.choice([5, 50])), "null", str(rnd.randrange(64))))
                 for queue in "qr"]
        calls += [("rescue", sql("queue_rescue", "20", str(rnd.random() < .2), "false")),
                  ("rotate", sql("queue_rotate"))]
        calls += [("prune", sql("queue_prune", str(rnd.randrange(8)), "20")) for _ in range(2)]
        if rnd.random() < .3:
            calls.append(("rehome", sql("queue_rehome", str(rnd.randrange(8)), "20000", "1", "8",
                                        "50")))
        if rnd.random() < .1:
            calls.append(("stranded", sql("queue_rescue_stranded", str(rnd.randrange(8)))))
            calls.append(("guard", sql("queue_guard")))
            calls.append(("counts", sql("queue_counts", "null")))
        for name, call in calls:
            try:
                rows = connection.run(call)
                if name == "stranded":
                    journal.note("STRANDED", len(rows))
                elif name == "rescue":
                    journal.note("rescued jobs", int(rows[0][1]))
                    journal.note("rescue buried", int(rows[0][2]))
                elif name == "promote":
                    journal.note("promoted", int(rows[0][0]))
                elif name != "counts":
                    journal.note(f"{name} {rows[0][0]}")
            except Failure as failure:
                journal.error(name, failure)
        time.sleep(.005)


def left_over(connection):
    """Jobs that wait, are deferred, or run."""
    return int(connection.one(
        f"select (select count(*) from {SCHEMA}.queue_deferred)"
        f" + (select count(*) from {SCHEMA}.queue_running)"
        f" + (select sum(unclaimed + open) from generate_series(0, 7) s,"
        f" lateral {SCHEMA}.queue_slot_load(s))"))


def judge(journal, connection):
    dead = {int(row[0]) for row in connection.run(f"select id from {SCHEMA}.queue_dead")}
    by_rescue = {job for job in dead if not journal.ended[job]}
    left = left_over(connection)
    lost = [job for job in journal.committed if not journal.ended[job] and job not in by_rescue]
    twice = [job for job, count in journal.ended.items() if count > 1]
    handed = [key for key, count in journal.handed.items()
              if count > 1 + journal.returned[key]]
    order, last = 0, {}
    batches = collections.defaultdict(list)
    for lane, at, ids in journal.claims:
        batches[lane, at] += ids
    for (lane, _), ids in sorted(batches.items()):
        for job in sorted(ids):
            if job in journal.out_of_order:
                continue
            order += job < last.get(lane, 0)
            last[lane] = max(job, last.get(lane, 0))
    keys = connection.one(f"select count(*) from {SCHEMA}.queue_unique_keys where ended_at is null")
    dead_rows = connection.one(
        "select coalesce(sum(n_dead_tup), 0) from pg_stat_all_tables where schemaname = "
        f"'{SCHEMA}' and relname ~ '^queue_(ready|claims|finished|tombstones)_'")
    lag = connection.one(f"select coalesce(sum(e.next_seq - c.claim_seq), 0) from "
                         f"{SCHEMA}.queue_claim_heads c join {SCHEMA}.queue_enqueue_heads e "
                         "using (queue, priority, enqueue_shard)")
    verdict = {
        "lost": len(lost), "ended twice": len(twice), "handed out twice": len(handed),
        "out of order": order, "ghosts": len(set(journal.ended) - journal.committed),
        "tokens twice": sum(count > 1 for count in journal.tokens.values()),
        "left": left, "keys left": int(keys), "lag": int(lag),
        "stranded": journal.seen["STRANDED"], "suspect not alone": journal.seen["SUSPECT NOT ALONE"],
        "bodies missing": journal.seen["BODIES MISSING"],
        "unexpected errors": sum(journal.unexpected().values()),
    }
    print(f"committed {len(journal.committed)}, ended {len(journal.ended)}, "
          f"dead by rescue {len(by_rescue)}, dead tuples in the ring {dead_rows}")
    print("seen", dict(sorted(journal.seen.items())))
    print("errors", dict(journal.errors))
    print("verdict", verdict)
    if lost:
        print("lost ones:", sorted(lost)[:5], connection.run(
            sql("queue_find", array(map(str, sorted(lost)[:5]), "bigint"))))
    return 0 if not any(verdict.values()) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mutant", default=os.environ.get("PENSTOCK_MUTANT", "none"))
    options = parser.parse_args()
    connection = Connection()
    install(connection, SCHEMA, options.mutant)
    connection.run(f"insert into {SCHEMA}.queue_meta(queue, enqueue_shards) values ('q', 4)")
    journal = Journal()
    run = Run(options.seed, journal)
    workers = [Worker(run, number) for number in range(4)]
    producing = [threading.Thread(target=produce, args=(run, number)) for number in range(4)]
    producing.append(threading.Thread(target=operate, args=(run,)))
    working = [threading.Thread(target=worker.work) for worker in workers]
    working += [threading.Thread(target=maintain, args=(run, number)) for number in range(2)]
    for thread in producing + working:
        thread.start()
    time.sleep(options.seconds)
    run.producing = False
    for thread in producing:
        thread.join()
    # Calm: whatever was committed must end; as long as something does, it may take its time.
    done, moved = -1, time.monotonic()
    while time.monotonic() < moved + 20:
        with journal.lock:
            now = sum(1 for job in journal.committed if journal.ended[job])
        if now > done:
            done, moved = now, time.monotonic()
        if left_over(connection) == 0 and all(not worker.held for worker in workers):
            break
        time.sleep(.3)
    run.working = False
    for thread in working:
        thread.join()
    return judge(journal, connection)


if __name__ == "__main__":
    sys.exit(main())
