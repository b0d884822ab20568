-- Payments whose id nobody knows, for the lists of a sweep. Indexes operation_queue_unmatched, operation_pkey. The queue has about when each was sent, see
-- sent-about.sql.
select operation_row.*, (extract(epoch from :schema.clock()) * 1000)::text as now
from :schema.operation_queue queued
join :schema.operation_row on operation_row.id = queued.id and operation_row.account || '' = queued.account
where queued.account = $1 and unmatched
  and queued.sent_about between to_timestamp($2::float8 / 1000) - interval '2 minutes' and to_timestamp($3::float8 / 1000) + interval '1 minute'
  and raw_sent_at between to_timestamp($2::float8 / 1000) and to_timestamp($3::float8 / 1000)
  and ($4::float8 is null or (raw_sent_at, operation_row.id) > (to_timestamp($4::float8 / 1000), $5))
order by raw_sent_at, operation_row.id limit $6
