-- Makes the commit of this transaction wait for the disk, even if the role sets synchronous_commit to a weaker value.
create function :fn.make_durable()
returns void language plpgsql volatile as $body$
begin
  if current_setting('synchronous_commit') not in ('on', 'remote_apply') then
    perform set_config('synchronous_commit', 'on', true);
  end if;
end
$body$;
