-- Index listener_pkey. The rows are inserted in order, so that two replicas that start cannot deadlock.
insert into :schema.listener (account, event, listener)
select distinct $1, event, listener from unnest($2::text[], $3::text[]) as given(event, listener)
order by event, listener
on conflict (event, account, listener) do nothing
