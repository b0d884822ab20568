-- Whether operations may be sent now.
create function :fn.may_send(p_account text)
returns boolean language plpgsql stable as $body$
begin
  return not exists (
    select from :schema.traffic
    where account = any (array[p_account, '*'])
      and (paused_at is not null or creates_closed_until > :schema.clock()));
end
$body$;
