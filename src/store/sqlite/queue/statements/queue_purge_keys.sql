-- Keys of jobs that are gone, or ended longer ago than ?1; a dead job keeps its own.
delete from penstock_unique_keys where ended_at < ?1
  and not exists (select 1 from penstock_jobs j where j.id = penstock_unique_keys.id
                  and j.state = 'dead')
