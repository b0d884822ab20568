const WINDOW = `created_at >= to_timestamp($2::float8 / 1000) and created_at < to_timestamp($3::float8 / 1000)`;

/** Index payment_created, as all of these that count payments of a window. */
export const COUNT_STATES = `
select state, count(*) as count from :schema.payment where account = $1 and ${WINDOW}
group by state order by count(*) desc, state`;

export const COUNT_REASONS = `
select reason, count(*) as count from :schema.payment where account = $1 and ${WINDOW} and reason is not null
group by reason order by count(*) desc, reason`;

/** The roads by which final news of these payments came: index event_stream. */
export const COUNT_ROADS = `
select event.via, count(*) as count
from (select account, id from :schema.payment where account = $1 and ${WINDOW}) payment
join :schema.event event on hashtextextended(event.stream, 0) = hashtextextended(payment.id, 0)
  and event.stream = payment.id and event.account = payment.account
where event.name in ('payment.succeeded', 'payment.failed')
group by event.via order by count(*) desc, event.via`;

/** The value below which a share of all lie: the one at that place of the sorted row, as the memory store has it. */
export const TIME_TO_FINAL = `
select count(*) as count,
  (array_agg(ms order by ms))[least(count(*), floor(count(*) * 0.5) + 1)] as p50,
  (array_agg(ms order by ms))[least(count(*), floor(count(*) * 0.9) + 1)] as p90,
  (array_agg(ms order by ms))[least(count(*), floor(count(*) * 0.99) + 1)] as p99
from (
  select extract(epoch from updated_at - created_at) * 1000 as ms from :schema.payment
  where account = $1 and ${WINDOW} and state in ('succeeded', 'failed', 'reversed')) finals`;

/** Index delivery_age. */
export const DELIVERIES_PER_MINUTE = `
select floor(extract(epoch from received_at) / 60) * 60000 as minute, count(*) as count
from :schema.delivery
where account = $1 and received_at >= to_timestamp($2::float8 / 1000) and received_at < to_timestamp($3::float8 / 1000)
group by 1 order by 1`;

/** What waits now. All of it is in small tables and partial indexes. */
export const BACKLOG = `
select
  (select count(*) from :schema.delivery_queue where account = $1) as deliveries,
  (select extract(epoch from :schema.clock() - min(delivery.received_at)) * 1000
   from :schema.delivery_queue queue
   join :schema.delivery delivery on delivery.id = queue.id and delivery.account = queue.account
   where queue.account = $1) as oldest_delivery_ms,
  (select count(*) from :schema.call where account = $1 and state = 'pending') as calls,
  (select extract(epoch from :schema.clock() - min(event.created_at)) * 1000
   from :schema.call call join :schema.event event on event.id = call.event_id and event.account = call.account
   where call.account = $1 and call.state = 'pending') as oldest_call_ms,
  (select count(*) from :schema.call where account = $1 and state = 'dead') as dead_letters,
  (select count(*) from :schema.delivery delivery where account = $1 and outcome = 'unrecognised' and not exists (
     select from :schema.delivery_queue queue where queue.id = delivery.id and queue.account = delivery.account))
    as unrecognised,
  (select count(*) from :schema.payment where account = $1 and state in ('requested', 'pending', 'unknown'))
    as open_payments`;
