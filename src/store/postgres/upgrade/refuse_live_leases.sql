-- Purpose:    upgrade from 0.1.0, step 1: raises PS004 while a worker of 0.1.0 holds a live lease.
--             Who forces the upgrade leaves this step out.
-- Parameters: none.
-- Columns:    none.
-- Locks:      the old tables against everybody, to the end of the transaction, in the order in which
--             0.1.0 writes them.
-- Index:      none: one scan of the old deliveries.
-- Oddity:     not the clock of the other statements, which is made in a later step.
lock table :"schema".:"events", :"schema".:"keys", :"schema".:"deliveries" in access exclusive mode;

do $upgrade$
declare
  v_holders text;
begin
  select string_agg(h.holder, ', ' order by h.holder) into v_holders
  from (select format('%s (until %s UTC)', coalesce(d.lease_owner, 'a worker without a name'),
                      date_trunc('second', max(d.lease_expires_at) at time zone 'UTC')
                        + interval '1 second') as holder
        from :"schema".:"deliveries" d
        where d.status = 'processing' and d.lease_expires_at > statement_timestamp()
        group by d.lease_owner
        order by max(d.lease_expires_at) desc
        limit 20) h;
  if v_holders is not null then
    raise exception using errcode = 'PS004', message = format(
      'workers of version 0.1.0 hold live leases: %s; stop them, and upgrade when the leases have '
      'ended, or force it (penstock setup --force)', v_holders);
  end if;
end
$upgrade$;
