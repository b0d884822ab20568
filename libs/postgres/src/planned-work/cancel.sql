-- Index planned_work_pkey.
delete from :schema.planned_work where account = any ($1::text[]) and kind = $2
