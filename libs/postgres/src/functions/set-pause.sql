-- Pauses or resumes sending and keeps that in the history. False when there is nothing to change. Durable, whatever the role's
-- default is: a restart must not send what a person has paused.
create function :fn.set_pause(p_account text, p_is_paused boolean, p_by text, p_note text)
returns boolean language plpgsql volatile as $body$
begin
  perform :fn.make_durable();
  -- One after the other: pause_transaction has the one that was stored last, which no older snapshot sees.
  perform pg_advisory_xact_lock(hashtextextended(concat_ws(chr(10), ':schema', 'pauses'), 0));
  -- See lock_sending.
  perform pg_advisory_xact_lock(hashtextextended(concat_ws(chr(10), ':schema', 'sending', p_account), 0));
  perform setval(':schema.pause_transaction', pg_current_xact_id()::text::bigint);
  if p_is_paused then
    insert into :schema.pause (account, what, by_whom, note, is_current) values (p_account, 'paused', p_by, p_note, true)
    on conflict (account) where is_current do nothing;
    return found;
  end if;
  update :schema.pause set is_current = false where account = p_account and is_current;
  if not found then
    return false;
  end if;
  insert into :schema.pause (account, what, by_whom, note, is_current) values (p_account, 'resumed', p_by, p_note, false);
  return true;
end
$body$;
