-- Transactions that no operation owns yet: those of the payer and those whose payer was not read as a number (index
-- transaction_untied, in its order), and the rows with several sums (index transaction_several). Each part has its
-- own limit, so that transactions without a payer do not hide those of the payer. Money whose time cannot be read counts when it was reported.
select account, reference, version, redacted::text as redacted, sums, marks, extract(epoch from created_at) * 1000 as created_at
from (
  (select *, coalesce(originated_at, created_at) as origin from :schema.transaction
   where account = $1 and amount_hash = decode($2, 'hex') and payer_hash = decode($3, 'hex') and untied and not several
     and coalesce(originated_at, created_at) between to_timestamp($4::float8 / 1000) and to_timestamp($5::float8 / 1000)
   order by coalesce(originated_at, created_at) limit $8)
  union all
  (select *, coalesce(originated_at, created_at) as origin from :schema.transaction
   where account = $1 and amount_hash = decode($2, 'hex') and payer_hash is null and untied and not several
     and coalesce(originated_at, created_at) between to_timestamp($4::float8 / 1000) and to_timestamp($5::float8 / 1000)
   order by coalesce(originated_at, created_at) limit $8)
  union all
  (select transaction.*, fitting.origin from :schema.transaction
   cross join lateral (
     select min(coalesce(to_timestamp((sum->>'originatedAt')::float8 / 1000), created_at)) as origin
     from jsonb_array_elements(transaction.sums) as each(sum)
     where jsonb_typeof(sum->'received') = 'object' and sum->>'paymentId' is null
       and sum->>'amountMinor' = $6 and sum->>'currency' = $7
       and coalesce(to_timestamp((sum->>'originatedAt')::float8 / 1000), created_at)
         between to_timestamp($4::float8 / 1000) and to_timestamp($5::float8 / 1000)) fitting
   where transaction.account = $1 and transaction.untied and transaction.several and fitting.origin is not null
   order by fitting.origin limit $8)
) untied
order by untied.origin
