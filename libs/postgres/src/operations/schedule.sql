-- Index operation_pkey. A locked row is skipped: the transaction that holds it is about to change its version.
with free as (
  select account, id from :schema.operation where account = $1 and id = $2 for no key update skip locked
)
update :schema.operation
set due_at = case when due_once_more then :schema.clock()
    else :schema.clock() + $4::float8 * interval '1 millisecond' end,
  due_once_more = false, claimed_until = null, checks = coalesce($5::integer, checks)
from free
where operation.account = free.account and operation.id = free.id
  and version = $3::integer and state not in ('succeeded', 'reversed')
