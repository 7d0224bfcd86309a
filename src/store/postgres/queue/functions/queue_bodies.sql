-- The jobs of claims, for the worker that made them; also of those whose slot was given up since.
--
-- worker   Who claimed.
-- base     The base that its claim was called with: the 32 numbers from there on are read.
-- Returns: claim, ordinal (together the token of the attempt), seq (its order in the lane across
--          claims; null where the slot was given up), then the job as its columns say;
--          attempt counts the attempts charged before this one.
-- Locks:   none. It runs in a transaction of its own: a client that stops reading holds nothing but
--          the tables.
-- Index:   queue_claims_by_worker, the primary keys of queue_ready and queue_running.
create or replace function :"schema".:"queue_bodies"(worker bigint, base bigint)
returns table(claim bigint, ordinal integer, seq bigint, id bigint, kind text, key text, run_at timestamptz,
              created_at timestamptz, deadline bigint, attempt integer, max_attempts integer,
              suspect boolean, unique_key text, content_type text, headers jsonb, state jsonb,
              payload bytea)
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $body$
#variable_conflict use_column
begin
  return query
    select m.claim, m.ordinal, m.seq, m.id, m.kind, m.key, m.run_at, coalesce(m.created_at, m.run_at),
           m.deadline, m.attempt, m.max_attempts, m.suspect, m.unique_key,
           coalesce(m.content_type, 'application/json'), coalesce(m.headers, '{}'), m.state, m.payload
    from :"schema".:"queue_members" m
    where m.worker = :"queue_bodies".worker
      and m.claim between :"queue_bodies".base and :"queue_bodies".base + 31
    union all
    select m.claim, m.ordinal, null, m.id, m.kind, m.key, m.run_at, coalesce(m.created_at, m.run_at),
           m.deadline, m.attempt, m.max_attempts, m.suspect, m.unique_key,
           coalesce(m.content_type, 'application/json'), coalesce(m.headers, '{}'), m.state, m.payload
    from :"schema".:"queue_running" m
    where m.worker = :"queue_bodies".worker
      and m.claim between :"queue_bodies".base and :"queue_bodies".base + 31;
end
$body$;
