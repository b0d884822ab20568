-- Operations of one payer that may own a transaction, in the order of index operation_payer.
select *, (extract(epoch from :schema.clock()) * 1000)::text as now
from :schema.operation_row
where account = $1 and amount_minor = $2 and currency = $3
  and raw_sent_at between to_timestamp($4::float8 / 1000) and to_timestamp($5::float8 / 1000)
  and raw_sent_at is not null and state in ('requested', 'pending', 'unknown', 'needs_review', 'failed')
  and phone_hash = decode($7, 'hex')
order by raw_sent_at
limit $6
