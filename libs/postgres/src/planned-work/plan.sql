-- Index queue_planned. What is planned earlier stays. Each account comes once.
insert into :schema.queue (lane, account, item, line, due_at)
select kind, account, account, hashtextextended(account, 0), :schema.clock() + in_ms * interval '1 millisecond'
from unnest($1::text[], $2::text[], $3::float8[]) as plan(account, kind, in_ms)
order by account
on conflict (account, lane) where lane = any ('{sweep,retention}') do update set due_at = excluded.due_at
where excluded.due_at < queue.due_at
