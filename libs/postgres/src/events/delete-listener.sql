-- The table listener is small; it is read completely.
delete from :schema.listener where account = $1 and listener = $2
