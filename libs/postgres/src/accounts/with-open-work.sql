-- Indexes operation_due, operation_followed, delivery_queue_due, call_due. It is asked only while accounts are being removed; then it
-- reads what is open of all accounts.
select given.account from unnest($1::text[]) as given(account)
where exists (
    select from :schema.operation open
    where open.account = given.account and open.due_at is not null
      and open.state in ('created', 'requested', 'pending', 'unknown'))
  or exists (
    select from :schema.operation followed
    where followed.account = given.account and followed.due_at is not null
      and followed.state in ('needs_review', 'failed', 'partially_succeeded'))
  or exists (select from :schema.delivery_queue queued where queued.account = given.account)
  or exists (select from :schema.call where call.account = given.account and call.state = 'pending')
