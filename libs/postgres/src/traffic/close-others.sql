-- Index traffic_pkey. A later end that is known stays.
insert into :schema.traffic (account, others_closed_until)
values ($1, :schema.clock() + $2::float8 * interval '1 millisecond')
on conflict (account) do update
set others_closed_until = greatest(traffic.others_closed_until, excluded.others_closed_until)
