-- Index planned_work_pkey.
insert into :schema.planned_work (account, kind, due_at)
values ($1, $2, :schema.clock() + $3::float8 * interval '1 millisecond')
on conflict (account, kind) do update set due_at = excluded.due_at
