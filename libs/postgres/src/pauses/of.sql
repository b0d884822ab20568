-- Index pause_current. The pause of the account itself comes first.
select account, by_whom, note, extract(epoch from at) * 1000 as at
from :schema.pause where is_current and account = any (array[$1, '*'])
order by account = '*'
limit 1
