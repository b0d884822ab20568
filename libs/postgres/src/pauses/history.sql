-- Index pause_of_account.
select account, what, by_whom, note, extract(epoch from at) * 1000 as at
from :schema.pause where account = any (array[$1, '*'])
order by id desc limit $2
