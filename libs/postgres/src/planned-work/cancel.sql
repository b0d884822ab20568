-- Index queue_planned.
delete from :schema.queue where account = any ($1::text[]) and lane = $2 and lane = any ('{sweep,retention}')
