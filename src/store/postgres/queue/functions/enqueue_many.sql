-- For programs in any language: enqueues jobs, all or none, in the transaction of the caller.
--
-- jobs     An array of objects: queue, kind, payload (any JSON) or payload_base64, and priority,
--          ordering_key, run_at, max_attempts, unique_key, unique_states, headers, content_type
--          where wanted. An empty key is an absent one.
-- Returns: ordinal (from 1, in order), id, created (false: its unique key is taken, and the id is
--          that of the job which holds it).
-- Raises:  PS001, naming the job by its place; nothing was written then.
-- Locks:   as queue_enqueue, for all of them at once, so that callers do not deadlock.
create or replace function :"schema".:"enqueue_many"(jobs jsonb)
returns table(ordinal integer, id bigint, created boolean)
language plpgsql
set search_path = pg_catalog, pg_temp
as $body$
#variable_conflict use_column
declare
  v_kinds constant jsonb := '{"queue": "string", "kind": "string", "ordering_key": "string",
    "unique_key": "string", "content_type": "string", "run_at": "string",
    "payload_base64": "string", "priority": "number", "max_attempts": "number",
    "unique_states": "array", "headers": "object"}';
  v_problem text;
begin
  if jsonb_typeof(jobs) is distinct from 'array' then
    raise exception using errcode = 'PS001', message = format(
      'expected an array of jobs, found %s', coalesce(jsonb_typeof(jobs), 'null'));
  end if;
  select format('job %s: ', j.place) || coalesce(m.problem, format('expected an object, found %s',
                                                                   jsonb_typeof(j.job)))
  into v_problem
  from jsonb_array_elements(jobs) with ordinality j(job, place)
  left join lateral (
    select case when v_kinds ->> m.name is null then format('unknown member "%s"', m.name)
                else format('%s: expected a %s, found %s', m.name, v_kinds ->> m.name,
                            jsonb_typeof(m.value)) end as problem
    from jsonb_each(case when jsonb_typeof(j.job) = 'object' then j.job else '{}' end) m(name, value)
    where m.name <> 'payload' and jsonb_typeof(m.value) is distinct from v_kinds ->> m.name
    limit 1) m on true
  where jsonb_typeof(j.job) <> 'object' or m.problem is not null
  order by j.place limit 1;
  if v_problem is not null then
    raise exception using errcode = 'PS001', message = v_problem;
  end if;

  return query
    with job as materialized (
      select j.place, case when jsonb_array_length(jobs) > 1
                           then format('job %s: ', j.place) else '' end as label,
             j.job ->> 'queue' as queue, j.job ->> 'kind' as kind,
             coalesce((j.job ->> 'priority')::smallint, 2::smallint) as priority,
             nullif(j.job ->> 'ordering_key', '') as key,
             (j.job ->> 'run_at')::timestamptz as run_at,
             coalesce((j.job ->> 'max_attempts')::integer, 25) as max_attempts,
             nullif(j.job ->> 'unique_key', '') as unique_key,
             case when j.job ? 'unique_states'
                  then array(select jsonb_array_elements_text(j.job -> 'unique_states')) end as states,
             coalesce(j.job -> 'headers', '{}') as headers,
             coalesce(j.job ->> 'content_type', 'application/json') as content_type,
             :"schema".:"payload_of"(format('job %s: ', j.place), j.job) as payload
      from jsonb_array_elements(jobs) with ordinality j(job, place)
    ),
    checked as materialized (
      select job.*, :"schema".:"queue_check_job"(job.label, job.queue, job.kind, job.payload,
        job.priority, job.key, job.max_attempts, job.unique_key, job.headers, job.content_type)
      from job
    )
    select e.ordinal, e.id, e.created
    from (select array_agg(c.queue order by c.place) as queues,
                 array_agg(c.kind order by c.place) as kinds,
                 array_agg(c.priority order by c.place) as priorities,
                 array_agg(c.key order by c.place) as keys,
                 array_agg(c.payload order by c.place) as payloads,
                 array_agg(nullif(c.content_type, 'application/json') order by c.place) as types,
                 array_agg(nullif(c.headers, '{}') order by c.place) as headers,
                 array_agg(c.run_at order by c.place) as run_ats,
                 array_agg(null::bigint) as deadlines,
                 array_agg(c.max_attempts order by c.place) as max_attempts,
                 array_agg(c.unique_key order by c.place) as unique_keys,
                 array_agg(:"schema".:"queue_states"(c.states) order by c.place) as states
          from checked c) a
    cross join lateral :"schema".:"queue_enqueue"(
      a.queues, a.kinds, a.priorities, a.keys, a.payloads, a.types, a.headers, a.run_ats,
      a.deadlines, a.max_attempts, a.unique_keys, a.states, floor(random() * 64)::integer) e
    where a.queues is not null;
end
$body$;
