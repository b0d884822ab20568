-- Index traffic_pkey. The pause of the account itself comes first.
select account, paused_by, pause_note, extract(epoch from paused_at) * 1000 as paused_at
from :schema.traffic where account = any (array[$1, '*']) and paused_at is not null
order by account = '*' limit 1
