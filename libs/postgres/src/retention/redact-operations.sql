-- Index operation_finished. A failed operation that was sent stays for 31 days, because a transaction may still be
-- its own. A person can be computed from a key of a guard, so the keys are deleted with the rest.
with old as (
  select account, id, guard_keys from :schema.operation
  where account = $1 and not redacted and state in ('succeeded', 'partially_succeeded', 'failed', 'reversed')
    and updated_at <= (select :schema.clock()) - $2::float8 * interval '1 millisecond'
    and (state <> 'failed' or sent_at is null or reason in ('rejected', 'not_sent', 'declined')
      or updated_at <= (select :schema.clock()) - interval '31 days')
  order by updated_at limit $3 for no key update skip locked
), history_rows as (
  delete from :schema.operation_history using old
  where operation_history.account = old.account and operation_history.operation_id = old.id
), guards as (
  select guard.account, guard.key, array(select holder from unnest(guard.holders) as holder
    where holder <> all (select id from old)) as holders
  from :schema.operation_guard guard
  where guard.account = $1 and guard.key in (select unnest(guard_keys) from old)
), unused as (
  delete from :schema.operation_guard guard using guards
  where guard.account = guards.account and guard.key = guards.key and guards.holders = '{}'
), used as (
  update :schema.operation_guard guard set holders = guards.holders from guards
  where guard.account = guards.account and guard.key = guards.key and guards.holders <> '{}'
)
update :schema.operation
set redacted = true, personal = null, transaction = :schema.without_person(transaction), errors = '[]', cause_detail = null,
  guard_keys = null, phone_hash = case when phone_hash is null then null else ''::bytea end,
  outcome = case jsonb_typeof(outcome)
    when 'array' then (select jsonb_agg(part || '{"errors": []}' order by place)
      from jsonb_array_elements(outcome) with ordinality as each(part, place))
    else outcome end
from old where operation.account = old.account and operation.id = old.id
returning operation.id
