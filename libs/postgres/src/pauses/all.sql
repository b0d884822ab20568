-- The table has one small row for each account that is paused now.
select account, by_whom, note, extract(epoch from at) * 1000 as at
from :schema.pause
order by account <> '*', account
