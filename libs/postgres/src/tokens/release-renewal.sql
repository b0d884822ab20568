-- Index token_pkey.
update :schema.token set owner = null, claimed_until = null where account = $1 and application = $2 and owner = $3
