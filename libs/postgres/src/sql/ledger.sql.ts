/** Many changes, each all or nothing: a function of the schema, see its migration. */
export const COMMIT_CHANGES = `select :schema.commit_changes($1::jsonb)::text as committed_at`;

export const TRANSACTION_COLUMNS = `
  account, reference, till_key, version::text, received::text, reversal::text, webhook_event_ids::text, payment_id,
  announced::text, (extract(epoch from originated_at) * 1000)::text as originated_at, currency, amount_minor,
  (extract(epoch from created_at) * 1000)::text as created_at`;

export const FIND_TRANSACTION = `
select ${TRANSACTION_COLUMNS} from :schema.till_transaction where account = $1 and money_hash = decode($2, 'hex')`;

/** Index till_transaction_untied, in its order; the amounts are compared again because the index has only their hash. */
export const FIND_UNTIED_TRANSACTIONS = `
select ${TRANSACTION_COLUMNS} from :schema.till_transaction
where account = $1 and amount_hash = decode($2, 'hex') and payment_id is null and received is not null
  and till_transaction.originated_at between to_timestamp($3::float8 / 1000) and to_timestamp($4::float8 / 1000)
  and till_key = $5 and currency = $6 and amount_minor = $7
order by till_transaction.originated_at limit 100`;
