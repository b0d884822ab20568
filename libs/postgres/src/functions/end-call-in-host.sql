-- Ends the call of a listener in the transaction of the host, in which the listener is then called; see record_in_host. The row of the call stays
-- locked until that transaction ends, so no claim takes it. 'lost' when the lease was lost.
create function :fn.end_call_in_host(p_transaction text, p_place bigint, p_token text)
returns text language plpgsql volatile as $body$
begin
  if pg_current_xact_id()::text <> p_transaction then
    return 'outside';
  end if;
  perform from :fn.finish_claims(array[p_place], array[p_token], '{done}', '{0}', '{null}');
  return case when found then 'ended' else 'lost' end;
end
$body$;
