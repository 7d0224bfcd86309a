-- For programs in any language: enqueues one job, in the transaction of its caller.
--
-- queue, kind     Where to, and what shall run it.
-- payload         Bytes; for a text: convert_to(text, 'UTF8').
-- priority        1 (first) to 4.
-- ordering_key    Jobs with the same key share a shard, and are claimed in the order of commits.
-- run_at          Not before; null: now.
-- max_attempts    1 to 1000.
-- unique_key      While a job with it lives, another is not enqueued.
-- unique_states   What "lives" means; see queue_states().
-- headers         Flat object of strings.
-- Returns: the id of the job; of the one that is there already where the unique key is taken.
-- Raises:  PS001 where a limit is broken; nothing was written then.
-- Locks:   as queue_enqueue: enqueue last in the transaction.
create or replace function :"schema".:"enqueue"(
  queue text, kind text, payload bytea, priority smallint default 2,
  ordering_key text default null, run_at timestamptz default null, max_attempts integer default 25,
  unique_key text default null, unique_states text[] default null, headers jsonb default '{}')
returns bigint
language plpgsql
set search_path = pg_catalog, pg_temp
as $body$
begin
  perform :"schema".:"queue_check_job"('', queue, kind, payload, priority, ordering_key,
                                       max_attempts, unique_key, headers, 'application/json');
  return (select e.id
          from :"schema".:"queue_enqueue"(
            array[:"enqueue".queue], array[:"enqueue".kind], array[:"enqueue".priority],
            array[:"enqueue".ordering_key], array[:"enqueue".payload], array[null::text],
            array[nullif(:"enqueue".headers, '{}')], array[:"enqueue".run_at], array[null::bigint],
            array[:"enqueue".max_attempts], array[:"enqueue".unique_key],
            array[:"schema".:"queue_states"(:"enqueue".unique_states)],
            floor(random() * 64)::integer) e);
end
$body$;
