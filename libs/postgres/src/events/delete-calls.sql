-- Deletes a batch of calls of a listener: pending calls (index call_due) and dead letters (index call_dead).
delete from :schema.call where id in (
  select id from :schema.call where account = $1 and listener = $2 and state = 'pending'
  union all
  select id from :schema.call where account = $1 and listener = $2 and state = 'dead'
  limit $3)
returning id
