-- Index delivery_pkey. Puts a delivery back into the queue, unless it is there. The lock keeps retention from
-- deleting it.
insert into :schema.queue (lane, account, item, line, due_at)
select kind, account, id, hashtextextended(account || ' ' || id, 0), :schema.clock() from (
  select account, id, kind from :schema.delivery where account = $1 and id = $2 for no key update) kept
where not exists (select from :schema.queue where queue.line = hashtextextended(kept.account || ' ' || kept.id, 0) and queue.item = kept.id)
returning item
