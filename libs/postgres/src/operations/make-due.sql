-- Indexes operation_pkey and operation_queue_pkey. Rows of operations are locked in the order in which changes lock them, and PostgreSQL checks
-- the conditions again after it waited: the same cause counts once. Of these states only a failed operation may not be queued.
with chosen as (
  select account, id, sent_about from :schema.operation
  where account = $1 and id = any ($2::text[])
    and state in ('requested', 'pending', 'unknown', 'needs_review', 'failed', 'partially_succeeded')
  order by id
  for no key update
)
insert into :schema.operation_queue as queued (account, id, followed, sent_about, due_at, due_once_more, made_due_at, due_causes)
select account, id, true, sent_about, :schema.clock(), true, :schema.clock(), array[$3::text] from chosen
on conflict (id, account) do update
set due_at = least(queued.due_at, excluded.due_at), due_once_more = true, made_due_at = excluded.made_due_at,
  due_causes = case when queued.made_due_at > :schema.clock() - $4::float8 * interval '1 millisecond'
    then queued.due_causes else '{}' end || $3::text
where queued.due_causes is null or $3 <> all (queued.due_causes)
  or queued.made_due_at <= :schema.clock() - $4::float8 * interval '1 millisecond'
