-- Indexes operation_finished, transfer_of_operation.
with old as (
  select account, id from :schema.operation
  where account = $1 and redacted and state in ('succeeded', 'partially_succeeded', 'failed', 'reversed')
    and updated_at <= (select :schema.clock()) - $2::float8 * interval '1 millisecond'
  order by updated_at limit $3 for update skip locked
), transfers as (
  delete from :schema.transfer using old
  where transfer.operation_id = old.id and transfer.account || '' = old.account
)
delete from :schema.operation using old
where operation.account = old.account and operation.id = old.id
returning operation.id
