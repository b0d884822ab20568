-- Indexes operation_created, platform_name_transfer, platform_name_pkey, operation_queue_pkey, operation_guard_pkey.
with old as (
  select account, id, kind, platform_id, lasting_keys from :schema.operation
  where account = $1 and redacted and state in ('succeeded', 'partially_succeeded', 'failed', 'reversed')
    and updated_at <= (select :schema.clock()) - $2::float8 * interval '1 millisecond'
    and created_at <= (select :schema.clock()) - $2::float8 * interval '1 millisecond'
  order by created_at limit $3 for update skip locked
), transfers as (
  delete from :schema.platform_name named using old
  where is_transfer and named.operation_id = old.id and named.account || '' = old.account
), names as (
  delete from :schema.platform_name named using old
  where named.name = :fn.platform_name(old.kind, old.platform_id) and named.account || '' = old.account and named.operation_id = old.id
), unused as (
  delete from :schema.operation_guard guard using old
  where guard.key = any (old.lasting_keys) and guard.account || '' = old.account and guard.holders <@ array[old.id]
), used as (
  update :schema.operation_guard guard set holders = array_remove(guard.holders, old.id) from old
  where guard.key = any (old.lasting_keys) and guard.account || '' = old.account and not guard.holders <@ array[old.id]
), queued as (
  delete from :schema.operation_queue queued using old
  where queued.id = old.id and queued.account || '' = old.account
)
delete from :schema.operation using old
where operation.account = old.account and operation.id = old.id
returning operation.id
