-- Index effect_age. An effect is kept as long as its event may be emitted again.
with old as (
  select account, event_id, effect from :schema.effect
  where account = $1 and at <= (select :schema.clock()) - $2::float8 * interval '1 millisecond'
  order by at limit $3 for update skip locked
)
delete from :schema.effect using old
where effect.account = old.account and effect.event_id = old.event_id and effect.effect = old.effect
returning effect.event_id
