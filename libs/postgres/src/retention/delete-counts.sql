-- Indexes anomaly_pkey, total_pkey, pause_of_account: what is counted and noted. Few changes wait to be added to
-- the totals, so no index has those of an account.
with anomalies as (
  delete from :schema.anomaly
  where account = $1 and last_at <= (select :schema.clock()) - $2::float8 * interval '1 millisecond'
), totals as (
  delete from :schema.total
  where account = $1 and measure = any (array['state', 'reason', 'source', 'time', 'movement', 'delivery'])
    and minutes = any (array[15, 60, 1440])
    and begins_at + minutes * interval '1 minute' <= (select :schema.clock()) - $3::float8 * interval '1 millisecond'
    and begins_at <= (select :schema.clock()) - $3::float8 * interval '1 millisecond'
), refused as (
  delete from :schema.total_change
  where account = $1
    and committed_at <= (select :schema.clock()) - case when refused is null then $3 else $2 end::float8 * interval '1 millisecond'
)
delete from :schema.pause
where not is_current and account = any (array[$1, '*']) and at <= (select :schema.clock()) - $3::float8 * interval '1 millisecond'
