-- Indexes operation_pkey and operation_queue_pkey. A locked row is skipped: the transaction that holds it is about to change its version. An
-- operation that failed is queued only while it is due.
with free as (
  select account, id, sent_about, state = 'failed' and $4::float8 is null as is_over from :schema.operation
  where account = $1 and id = $2 and version = $3::integer and state not in ('succeeded', 'reversed')
  for no key update skip locked
), ended as (
  delete from :schema.operation_queue queued using free
  where queued.id = free.id and queued.account || '' = free.account and is_over and not due_once_more
), counted as (
  update :schema.operation set checks = $5::integer from free
  where operation.id = free.id and operation.account || '' = free.account and $5::integer is not null
)
insert into :schema.operation_queue as queued (account, id, followed, sent_about, due_at)
select account, id, true, sent_about, coalesce(:schema.clock() + $4::float8 * interval '1 millisecond', 'infinity') from free
where not is_over or exists (
  select from :schema.operation_queue again where again.id = free.id and again.account || '' = free.account and due_once_more)
on conflict (id, account) do update
set due_at = case when queued.due_once_more then :schema.clock() else excluded.due_at end, due_once_more = false, claimed_until = null
