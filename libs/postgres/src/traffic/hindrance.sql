-- Index traffic_pkey. The row of the account itself comes first.
select account, paused_by, pause_note, extract(epoch from paused_at) * 1000 as paused_at,
  greatest(0, coalesce(extract(epoch from creates_closed_until - :schema.clock()), 0) * 1000) as creates_closed_for_ms,
  greatest(0, coalesce(extract(epoch from others_closed_until - :schema.clock()), 0) * 1000) as others_closed_for_ms
from :schema.traffic
where account = any (array[$1, '*'])
  and (paused_at is not null or creates_closed_until > :schema.clock() or others_closed_until > :schema.clock())
order by account = '*'
