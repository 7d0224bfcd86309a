-- ?1 key, ?2 id, ?3 states. Changes: 0 where another holds it.
insert into penstock_unique_keys(key, id, states) values (?1, ?2, ?3) on conflict do nothing
