-- Listeners whose ids name a class. The table is small; a process reads it completely, once, when it starts.
select account, event, listener, start from :schema.listener
where (account = any ($1::text[])) <> $2 and listener like '%.%'
order by event, account, listener
