-- Index queue_planned.
insert into :schema.queue (lane, account, item, line, due_at)
values ($2, $1, $1, hashtextextended($1, 0), :schema.clock() + $3::float8 * interval '1 millisecond')
on conflict (account, lane) where lane = any ('{sweep,retention}') do update set due_at = excluded.due_at, claimed_until = null, token = null
