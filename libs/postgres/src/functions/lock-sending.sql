-- A pause waits for what makes operations 'requested': when it is stored, nothing becomes 'requested' any more. The pause of one
-- account waits for, and holds up, only those of that account; account '*' stands for all. Take it
-- before any other lock, so that nobody who has it waits for somebody who waits for it.
-- Where the default isolation is stricter, this statement does not see a pause that was stored since it began, however long it has waited
-- here: then it fails, and is repeated.
create function :fn.lock_sending(p_accounts text[])
returns void language plpgsql volatile as $body$
declare
  p_last xid8;
begin
  perform pg_advisory_xact_lock_shared(hashtextextended(concat_ws(chr(10), ':schema', 'sending', account), 0))
  from (select '*' as account union select unnest(p_accounts) order by 1) accounts;
  if current_setting('transaction_isolation') <> 'read committed' then
    select last_value::text::xid8 into p_last from :schema.pause_transaction;
    -- After a restore from a dump it is a transaction of another server, and may have a number that this one has not reached. A new number is
    -- higher than that of every pause here.
    if not pg_visible_in_snapshot(p_last, pg_current_snapshot())
      and (pg_current_xact_id_if_assigned() is not null or p_last < pg_current_xact_id()) then
      raise exception 'sending was paused or resumed meanwhile' using errcode = 'serialization_failure';
    end if;
  end if;
end
$body$;
