-- Index traffic_pkey. A later end that is known stays.
insert into :schema.traffic (account, background_closed_until)
values ($1, :schema.clock() + $2::float8 * interval '1 millisecond')
on conflict (account) do update
set background_closed_until = greatest(traffic.background_closed_until, excluded.background_closed_until)
