-- Whether operations may be sent now.
create function :fn.may_send(p_account text)
returns boolean language plpgsql stable as $body$
begin
  return not exists (select from :schema.pause where account = any (array[p_account, '*']));
end
$body$;
