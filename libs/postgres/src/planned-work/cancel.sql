-- Index queue_line.
delete from :schema.queue
where line = any (array(select hashtextextended(account, 0) from unnest($1::text[]) as given(account))) and lane = $2 and account = any ($1)
