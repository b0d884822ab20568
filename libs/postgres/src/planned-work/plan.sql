-- Index planned_work_pkey. What is planned earlier stays. Each account comes once.
insert into :schema.planned_work (account, kind, due_at)
select account, kind, :schema.clock() + in_ms * interval '1 millisecond'
from unnest($1::text[], $2::text[], $3::float8[]) as plan(account, kind, in_ms)
order by account
on conflict (account, kind) do update set due_at = least(planned_work.due_at, excluded.due_at)
where excluded.due_at < planned_work.due_at
