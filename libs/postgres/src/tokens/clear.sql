-- Index token_pkey.
update :schema.token set sealed = null, expires_at = null where account = $1 and application = $2
