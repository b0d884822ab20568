-- Indexes operation_personal, transaction_age, delivery_of_account, event_age and bare_request_age.
select extract(epoch from least(
  (select min(created_at) from :schema.operation where account = $1 and not redacted),
  (select min(created_at) from :schema.transaction where account = $1 and not redacted),
  (select min(received_at) from :schema.delivery where account = $1),
  (select min(created_at) from :schema.event where account = $1 and not redacted),
  (select min(created_at) from :schema.bare_request where account = $1 and money is not null))) * 1000 as at
