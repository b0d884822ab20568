-- Indexes operation_watched, delivery_queue_due, call_due. It is asked only while accounts are being removed; then it reads what is open or
-- in review of all accounts.
select given.account from unnest($1::text[]) as given(account)
where exists (
    select from :schema.operation open
    where open.account = given.account and open.state in ('created', 'requested', 'pending', 'unknown'))
  or exists (
    select from :schema.operation followed
    where followed.account = given.account and (followed.state = 'needs_review'
      or followed.due_at is not null and followed.state in ('failed', 'partially_succeeded')))
  or exists (select from :schema.delivery_queue queued where queued.account = given.account)
  or exists (select from :schema.call where call.account = given.account and call.state = 'pending')
