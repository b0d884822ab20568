-- Index planned_work_pkey.
delete from :schema.planned_work where account = $1 and kind = $2
