/** A rival in another transaction is waited for: it commits, and then this is not the first time, or it does not. */
export const BEGIN_EFFECT = `
insert into :schema.effect (account, event_id, effect) values ($1, $2, $3) on conflict do nothing returning event_id`;

/** Remembered as long as the event could come again. Index effect_age. */
export const REMOVE_EFFECTS = `
with old as (
  select account, event_id, effect from :schema.effect
  where account = $1 and at <= (select :schema.clock()) - $2::float8 * interval '1 millisecond'
  order by at limit $3 for update skip locked
)
delete from :schema.effect using old
where effect.account = old.account and effect.event_id = old.event_id and effect.effect = old.effect
returning effect.event_id`;
