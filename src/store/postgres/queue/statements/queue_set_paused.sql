-- Pauses or resumes a queue. Whoever waits hears of one that goes on.
--
-- $1 queue text, $2 paused boolean
-- Locks:   its row.
-- Index:   the primary key of queue_meta.
insert into :"schema".:"queue_meta" as m (queue, paused) values ($1, $2)
on conflict (queue) do update set paused = excluded.paused
returning case when not $2 then :"schema".:"wake"() end
