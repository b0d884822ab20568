-- The table has one small row for each account.
select account, paused_by, pause_note, extract(epoch from paused_at) * 1000 as paused_at
from :schema.traffic where paused_at is not null
order by account <> '*', account
