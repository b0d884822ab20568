-- It is asked only while accounts are being removed; then it reads what waits of all accounts.
select given.account from unnest($1::text[]) as given(account)
where exists (
    select from :schema.operation_queue queued
    where queued.account = given.account and (not followed or due_at < 'infinity' or listed_as = 'in_review'))
  or exists (select from :schema.queue where lane = any ('{callback,webhook}') and queue.account = given.account)
  or exists (select from :schema.queue where lane > 'call ' || given.account || ' ' and lane < 'call ' || given.account || '!')
