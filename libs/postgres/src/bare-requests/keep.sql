-- Index bare_request_pkey. A later write may know less than an earlier one: a known platform id stays. Money stays
-- null once it was null, because then its owner is known.
insert into :schema.bare_request
  (account, id, resource, platform_id, sent_at, money, amount_hash, payer_hash, created_at)
values ($1, $2, $3, $4, to_timestamp($5::float8 / 1000), $6::jsonb, decode($7, 'hex'), decode($8, 'hex'), :schema.clock())
on conflict (id, resource, account) do update set
  platform_id = coalesce(excluded.platform_id, bare_request.platform_id),
  money = case when bare_request.money is not null then excluded.money end,
  amount_hash = case when bare_request.money is not null then excluded.amount_hash end,
  payer_hash = case when bare_request.money is not null then excluded.payer_hash end,
  sent_at = excluded.sent_at, created_at = excluded.created_at
