-- Index queue_line.
with known as (
  update :schema.queue set due_at = :schema.clock() + $3::float8 * interval '1 millisecond', claimed_until = null, token = null
  where line = hashtextextended($1, 0) and lane = $2 and account = $1
  returning place
)
insert into :schema.queue (lane, account, item, line, due_at)
select $2, $1, $1, hashtextextended($1, 0), :schema.clock() + $3::float8 * interval '1 millisecond'
where not exists (select from known)
