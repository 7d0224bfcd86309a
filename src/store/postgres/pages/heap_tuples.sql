-- Purpose:    what lies on one page of a table.
-- Parameters: $1 text, the table, qualified and quoted; $2 bigint, the page.
-- Columns:    line_pointer bigint, xmin text, xmax text, ctid text, flags text.
-- Locks:      none but on the table, to read.
-- Index:      none.
-- Oddity:     the functions of pageinspect are found by the search path of the transaction.
select h.lp::bigint as line_pointer, coalesce(h.t_xmin::text, '-') as xmin,
       coalesce(h.t_xmax::text, '-') as xmax, coalesce(h.t_ctid::text, '-') as ctid,
       coalesce(array_to_string(f.raw_flags, '|'), '') as flags
from heap_page_items(get_raw_page($1::text, $2::bigint::integer)) h
left join lateral heap_tuple_infomask_flags(h.t_infomask, h.t_infomask2) f
  on h.t_infomask is not null
order by h.lp
