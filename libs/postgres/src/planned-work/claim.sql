-- Index planned_work_due.
with due as (
  select account from :schema.planned_work
  where kind = $1 and account = any ($2::text[]) and due_at <= :schema.clock()
  order by due_at limit $3 for no key update skip locked
)
update :schema.planned_work work set due_at = :schema.clock() + $4::float8 * interval '1 millisecond'
from due where work.kind = $1 and work.account = due.account
returning work.account
