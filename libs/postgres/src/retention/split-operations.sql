-- Payouts to several, of which one recipient is redacted. The keys of all are deleted: a person can be computed from them, and a payout that
-- is redacted refuses no other one. A row that was changed meanwhile stays.
with given as (
  select * from unnest($2::text[], $3::text[], $4::text[], $5::text[]) as given(id, before, personal, outcome)
), old as (
  select operation.account, operation.id, guard_keys, given.personal, given.outcome
  from :schema.operation join given on given.id = operation.id
  where account = $1 and not redacted and state in ('succeeded', 'partially_succeeded', 'failed', 'reversed')
    and operation.personal = given.before::jsonb and :fn.may_redact(operation, (select :schema.clock()))
  for no key update of operation skip locked
), ids as (
  select coalesce(array_agg(id), '{}') as ids from old
), unused as (
  delete from :schema.operation_guard guard using ids
  where guard.account = $1 and guard.key in (select unnest(guard_keys) from old) and guard.holders <@ ids.ids
), used as (
  update :schema.operation_guard guard
  set holders = array(select holder from unnest(guard.holders) as holder where holder <> all (ids.ids))
  from ids
  where guard.account = $1 and guard.key in (select unnest(guard_keys) from old) and not guard.holders <@ ids.ids
)
update :schema.operation
set version = version + 1, personal = old.personal::jsonb, outcome = old.outcome::jsonb, errors = '[]', cause_detail = null, guard_keys = null, counted = null,
  history = coalesce((
    select jsonb_agg(entry order by number) from jsonb_array_elements(history) with ordinality as each(entry, number)
    where not :fn.mentions_in_text(entry->>3, $6, $7)), '[]')
from old where operation.account = old.account and operation.id = old.id
returning operation.id
