-- Index operation_pkey. Rows are locked in the order in which changes lock them, and PostgreSQL checks the conditions
-- again after it waited: the same cause counts once.
with chosen as (
  select account, id from :schema.operation
  where account = $1 and id = any ($2::text[])
    and state in ('requested', 'pending', 'unknown', 'needs_review', 'failed', 'partially_succeeded')
    and (due_causes is null or $3 <> all (due_causes)
      or made_due_at <= :schema.clock() - $4::float8 * interval '1 millisecond')
  order by id
  for no key update
)
update :schema.operation
set due_at = least(due_at, :schema.clock()), due_once_more = true, made_due_at = :schema.clock(),
  due_causes = case when made_due_at > :schema.clock() - $4::float8 * interval '1 millisecond'
    then due_causes else '{}' end || $3::text
from chosen
where operation.account = chosen.account and operation.id = chosen.id
