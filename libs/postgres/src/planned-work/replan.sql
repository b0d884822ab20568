-- Indexes planned_work_pkey and restore_pkey. A sweep is due as soon as it can end the pause of a restore, a little later because clocks run differently;
-- and soon again when it could have ended that and did not.
insert into :schema.planned_work (account, kind, due_at)
values ($1, $2, least(
  :schema.clock() + $3::float8 * interval '1 millisecond',
  (select min(case when lost_to > :schema.clock() then lost_to + interval '5 seconds' else :schema.clock() + interval '1 minute' end)
    from :schema.restore
    where $2 = 'sweep' and account = $1 and is_held)))
on conflict (account, kind) do update set due_at = excluded.due_at
