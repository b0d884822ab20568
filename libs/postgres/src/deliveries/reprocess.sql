-- Index delivery_pkey. Puts a delivery back into the queue, unless it is there. The lock keeps retention from
-- deleting it.
insert into :schema.delivery_queue (account, id, kind, due_at)
select account, id, kind, :schema.clock() from (
  select account, id, kind from :schema.delivery where account = $1 and id = $2 for key share) kept
on conflict do nothing
returning id
