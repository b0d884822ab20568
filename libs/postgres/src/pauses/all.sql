-- Index pause_current: few accounts are paused.
select account, by_whom, note, extract(epoch from at) * 1000 as at
from :schema.pause
where is_current
order by account <> '*', account
