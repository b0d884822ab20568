-- Index operation_finished. A failed operation that was sent stays for 31 days, because a transaction may still be
-- its own.
with old as (
  select account, id from :schema.operation
  where account = $1 and not redacted and state in ('succeeded', 'failed', 'reversed')
    and updated_at <= (select :schema.clock()) - $2::float8 * interval '1 millisecond'
    and (state <> 'failed' or sent_at is null or reason in ('rejected', 'not_sent')
      or updated_at <= (select :schema.clock()) - interval '31 days')
  order by updated_at limit $3 for no key update skip locked
), history_rows as (
  delete from :schema.operation_history using old
  where operation_history.account = old.account and operation_history.operation_id = old.id
)
update :schema.operation
set redacted = true, metadata = null, transaction = :schema.without_person(transaction), phone_hash = '', errors = '[]',
  cause_detail = null, subscriber = '{"firstName": "", "lastName": "", "phoneNumber": ""}'
from old where operation.account = old.account and operation.id = old.id
returning operation.id
