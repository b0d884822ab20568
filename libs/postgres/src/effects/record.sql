-- Index effect_pkey. The lock belongs to the effect until its transaction ends: who does not get it learns at once that another one makes the
-- effect, and the transaction of the host can go on. An effect that was made before needs no lock.
with given as materialized (
  select pg_current_xact_id()::text = $1::text as is_inside, exists(
    select from :schema.effect where event_id = $3::text and effect = $4::text and account = $2::text) as is_made
), held as materialized (
  select is_inside, case when is_inside and not is_made
    then pg_try_advisory_xact_lock(hashtextextended(concat_ws(' ', $2::text, $3::text, $4::text), 0)) end as is_free
  from given
), recorded as (
  insert into :schema.effect (account, event_id, effect)
  select $2::text, $3::text, $4::text from held where is_free
  on conflict (event_id, effect, account) do nothing
  returning event_id
)
select case when not is_inside then 'outside' when not is_free then 'waits' when event_id is null then 'again' else 'first' end as result
from held left join recorded on true
