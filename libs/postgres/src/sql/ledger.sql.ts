import { MOST_FOUND } from '@tillkit/payments/store';

/** Many changes, each all or nothing: a function of the schema, see its migration. */
export const COMMIT_CHANGES = `select :schema.commit_changes($1::jsonb)::text as committed_at`;

export const TRANSACTION_COLUMNS = `
  account, reference, version::text, sums::text, (extract(epoch from created_at) * 1000)::text as created_at`;

export const FIND_TRANSACTION = `
select ${TRANSACTION_COLUMNS} from :schema.till_transaction where account = $1 and reference_hash = decode($2, 'hex')`;

const FROM = `to_timestamp($4::float8 / 1000)`;
const TO = `to_timestamp($5::float8 / 1000)`;

const single = (payer: string) => `
  select *, originated_at as origin from :schema.till_transaction
  where account = $1 and amount_hash = decode($2, 'hex') and payer_hash ${payer} and untied and not several
    and originated_at between ${FROM} and ${TO}
  order by originated_at limit ${MOST_FOUND}`;

/**
 * Index till_transaction_untied, in its order, once for the payer and once for unreadable ones; and the few records of
 * several sums, index till_transaction_several, each looked through. A hundred of each at most: what anybody may have paid
 * does not hide what this payer did.
 */
export const FIND_UNTIED_TRANSACTIONS = `
select ${TRANSACTION_COLUMNS} from (
  (${single("= decode($3, 'hex')")})
  union all
  (${single('is null')})
  union all
  (select several.*, fitting.origin from :schema.till_transaction several
   cross join lateral (
     select min(to_timestamp((sum->>'originatedAt')::float8 / 1000)) as origin
     from jsonb_array_elements(several.sums) as each(sum)
     where jsonb_typeof(sum->'received') = 'object' and sum->>'paymentId' is null
       and sum->>'amountMinor' = $6 and sum->>'currency' = $7 and coalesce(sum->>'payerHash', $8) = $8
       and to_timestamp((sum->>'originatedAt')::float8 / 1000) between ${FROM} and ${TO}) fitting
   where several.account = $1 and several.untied and several.several and fitting.origin is not null
   order by fitting.origin limit ${MOST_FOUND})
) money
order by money.origin`;
