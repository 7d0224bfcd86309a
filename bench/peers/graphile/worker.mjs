// graphile-worker's side of a run:
//   worker.mjs version        prints the version that is installed
//   worker.mjs setup URL      makes its tables in the benchmark's schema
//   worker.mjs work ORDER     is one dispatching process; see bench/harness/worker.hpp
//
// A fetch of local-queue size and completions in batches, instead of a statement for each job, are
// what graphile-worker's own guide to performance advises; NO_LOG_SUCCESS is set by who starts this.
import { openSync, readFileSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

import { Logger, runMigrations, runTaskList } from "graphile-worker";
import pg from "pg";

const SCHEMA = "penstock_bench_graphile";
const TASK = "bench";
const NO_NUMBER = 0xffffffff;
const PAYLOAD_BYTES = 256;

/** The file of bench/harness/journal.hpp: a count of 8 bytes, then records of 24. */
class Journal {
  static RECORD_BYTES = 24;
  static BUFFERED = 4096;
  #file;
  #written = 0;
  #used = 0;
  #buffer = Buffer.alloc(Journal.RECORD_BYTES * Journal.BUFFERED);
  #count = Buffer.alloc(8);

  constructor(path) {
    this.#file = openSync(path, "r+");
  }

  /**
   * Node cannot map a file, so what one turn of the event loop handles is written in one go at its
   * end: before the batch of its completions is, which waits for a timer.
   */
  write(number) {
    const at = this.#used * Journal.RECORD_BYTES;
    this.#buffer.writeUInt32LE(number, at);
    this.#buffer.writeBigInt64LE(process.hrtime.bigint(), at + 8);
    this.#used += 1;
    if (this.#used === Journal.BUFFERED) {
      this.flush();
    } else if (this.#used === 1) {
      setImmediate(() => this.flush());
    }
  }

  flush() {
    if (this.#used === 0) return;
    const length = this.#used * Journal.RECORD_BYTES;
    writeSync(this.#file, this.#buffer, 0, length, 8 + this.#written * Journal.RECORD_BYTES);
    this.#written += this.#used;
    this.#used = 0;
    // The count last: a reader never sees a record that is not there.
    this.#count.writeBigUInt64LE(BigInt(this.#written));
    writeSync(this.#file, this.#count, 0, 8, 0);
  }
}

/** The number in a payload that came unchanged; see bench/throughput/workload.cpp. */
function numberOf(payload) {
  const { n, p } = payload ?? {};
  if (typeof n !== "string" || typeof p !== "string" || n.length !== 10) return NO_NUMBER;
  const bytes = '{"n": "", "p": ""}'.length + n.length + p.length;
  return bytes === PAYLOAD_BYTES ? Number(n) : NO_NUMBER;
}

/** The handler; `defect` is that of bench/harness/work_order.hpp, and strikes once. */
function handlerOf(journal, defect) {
  let struck = defect === "none";
  return (payload) => {
    const number = numberOf(payload);
    if (!struck) {
      struck = true;
      if (defect === "skip_one") return;
      if (defect === "twice") journal.write(number);
    }
    journal.write(number);
  };
}

async function openConnections(pool, count) {
  const clients = await Promise.all(Array.from({ length: count }, () => pool.connect()));
  for (const client of clients) client.release();
}

async function work(path) {
  const order = JSON.parse(readFileSync(path, "utf8"));
  if (!["none", "skip_one", "twice"].includes(order.defect)) {
    throw new Error(`no such defect here: ${order.defect}`);
  }
  const journal = new Journal(order.journal);
  const pool = new pg.Pool({ connectionString: order.url, max: order.pool_size });
  pool.on("error", (error) => console.error(error));
  await openConnections(pool, order.pool_size);

  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  process.stdout.write("ready\n");
  const begin = await lines.next();
  if (begin.done) return pool.end();
  const wait = Number(BigInt(begin.value) - process.hrtime.bigint()) / 1e6;
  if (wait > 0) await sleep(wait);

  const workers = runTaskList(
    {
      noHandleSignals: true,
      logger: new Logger(() => (level, message) => {
        if (level === "error") console.error(message);
      }),
      preset: {
        worker: {
          schema: SCHEMA,
          concurrentJobs: order.concurrency,
          localQueue: { size: order.batch },
          completeJobBatchDelay: 0,
          pollInterval: order.poll_ms,
        },
      },
    },
    { [TASK]: handlerOf(journal, order.defect) },
    pool,
  );
  workers.promise.catch((error) => {
    console.error(error);
    process.exit(1);
  });
  while (!(await lines.next()).done);
  await workers.gracefulShutdown();
  journal.flush();
  await pool.end();
}

async function setup(url) {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  await runMigrations({ pgPool: pool, schema: SCHEMA, logger: new Logger(() => () => {}) });
  await pool.end();
}

const [command, argument] = process.argv.slice(2);
if (command === "version") {
  console.log(createRequire(import.meta.url)("graphile-worker/package.json").version);
} else if (command === "setup") {
  await setup(argument);
} else if (command === "work") {
  await work(argument);
} else {
  throw new Error("usage: worker.mjs version|setup URL|work ORDER");
}
