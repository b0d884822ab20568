-- Index effect_pkey. The insert waits for another transaction that makes the same effect: if that one commits, this
-- statement returns no row.
insert into :schema.effect (account, event_id, effect) values ($1, $2, $3)
on conflict do nothing
returning event_id
