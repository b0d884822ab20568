-- Index effect_pkey. The insert waits for another transaction that makes the same effect; if that one commits, it returns null. It waits at most
-- 3 s, unless the host has a limit for locks, which is set again afterwards: its transaction may go on.
with host as materialized (
  select current_setting('lock_timeout') as own
), limited as materialized (
  select set_config('lock_timeout', case own when '0' then '3s' else own end, true) as present from host
), recorded as (
  insert into :schema.effect (account, event_id, effect)
  select $1::text, $2::text, $3::text from limited where present is not null
  on conflict (event_id, effect, account) do nothing
  returning event_id
)
select event_id, set_config('lock_timeout', own, true) as lock_timeout from host left join recorded on true
