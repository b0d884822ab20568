-- Index operation_finished.
with old as (
  select account, id from :schema.operation
  where account = $1 and redacted and state in ('succeeded', 'partially_succeeded', 'failed', 'reversed')
    and updated_at <= (select :schema.clock()) - $2::float8 * interval '1 millisecond'
  order by updated_at limit $3 for update skip locked
)
delete from :schema.operation using old
where operation.account = old.account and operation.id = old.id
returning operation.id
