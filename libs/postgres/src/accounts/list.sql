-- Index account_pkey. '~' comes after every character that the name of an account may have. Parameters: how names begin, the last name of
-- the previous page, some names or null, and a number of rows.
select name from :schema.account
where name >= $1 and name < $1 || '~' and name > $2 and ($3::text[] is null or name = any ($3))
order by name limit $4
