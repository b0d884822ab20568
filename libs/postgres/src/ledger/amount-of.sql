-- Index event_pkey.
select amount from :schema.event where account = $1 and id = $2
