-- Index token_pkey. A later end that is known stays.
insert into :schema.token (account, application, closed_until)
values ($1, $2, :schema.clock() + $3::float8 * interval '1 millisecond')
on conflict (account, application) do update
set closed_until = greatest(token.closed_until, excluded.closed_until)
