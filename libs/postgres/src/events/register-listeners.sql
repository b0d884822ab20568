-- Index listener_pkey. The rows are written in order, so that two replicas that start cannot deadlock.
insert into :schema.listener (account, event, listener, start)
select distinct $1, event, listener, $4 from unnest($2::text[], $3::text[]) as given(event, listener)
order by event, listener
on conflict (event, account, listener) do update set start = excluded.start
