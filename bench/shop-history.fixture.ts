import { withClient } from './postgres.server.js';
import { withoutIndexes } from './postgres.indexes.js';

/** One statement for a range of the payments of a shop. */
interface Filling {
  table: string;
  insert: string;
}

/**
 * A year of a shop with eight tills. $1 and $2 are the first and last payment of the range, $3 is the number of all payments. Ids grow
 * with time, as ours do, and receipts do not.
 */
const AT = `now() - interval '1 minute' - (1 - n::float8 / $3) * interval '365 days'`;
const TOOK = `((5 + n % 40) * interval '1 second')`;
const HEX = `lpad(to_hex(n), 8, '0')`;
const idOf = (prefix: string): string =>
  `'${prefix}' || left(${HEX}, 4) || '-' || right(${HEX}, 4) || '-7000-8000-000000000000'`;
const ID = idOf('0190');
const SERIES = `from generate_series($1::bigint, $2::bigint) as series(n)`;
const STATE = `case when n > $3 - 200 then 'pending' when n % 20000 = 7 then 'needs_review' when n % 500 = 11 then 'reversed'
  when n % 20 = 3 then 'failed' else 'succeeded' end`;
const HAS_MONEY = `n <= $3 - 200 and n % 20 <> 3 and n % 20000 <> 7`;
const TILL = `'51445' || n % 8`;
const AMOUNT = `(50 + n * 7919 % 4950)`;
const FIRST = `(array['Achieng','Amina','Baraka','Chebet','Esther','Fatuma','Grace','Hassan','Imani','Joseph','Kamau','Lilian','Mwangi',
  'Njeri','Omondi','Peter','Rehema','Samuel','Tabitha','Wanjiru'])[1 + n % 20]`;
const LAST = `(array['Abdi','Barasa','Cherono','Gitau','Hamisi','Juma','Karanja','Kimani','Langat','Maina','Mutua','Nyambura','Ochieng',
  'Okello','Otieno','Ruto','Simiyu','Wafula','Wambui'])[1 + n % 19]`;
const PHONE = `'2547' || lpad((n * 7919 % 2000000)::text, 8, '0')`;
const PHONE_HASH = `sha256((${PHONE})::bytea)`;
const RECEIPT = `'T' || upper(lpad(to_hex(n * 2654435761 % 4294967296), 8, '0'))`;
/** A row of its own about money names fields of its \`raw\` by one bit each. */
const TRANSACTION = `jsonb_build_object(
  'reference', ${RECEIPT}, 'amount', ${AMOUNT} || '.0', 'currency', 'KES', 'tillNumber', ${TILL}, 'status', 'Received',
  'system', 'Lipa Na M-PESA', 'originationTime', ${AT}, 'senderFirstName', ${FIRST}, 'senderLastName', ${LAST},
  'senderPhoneNumber', '+' || ${PHONE}, 'raw', '{}'::jsonb, 'same', 3582)`;
const BODY = `convert_to(jsonb_build_object('data', jsonb_build_object('id', md5('p' || n), 'type', 'incoming_payment', 'attributes',
  jsonb_build_object('status', 'Success', 'initiation_time', ${AT}, 'event', jsonb_build_object('type', 'Incoming Payment Request',
    'resource', ${TRANSACTION} - 'raw' - 'same', 'errors', null))))::text, 'UTF8')`;
const HISTORY = `jsonb_build_array(jsonb_build_array(0, 'request', 'state', 'created to requested'),
  jsonb_build_array(0, 'request', 'state', 'requested to pending'), jsonb_build_array(0, 'callback', 'state', 'pending to succeeded'))`;
/** Bodies and events that retention keeps by default. */
const IS_KEPT = `${AT} > now() - interval '90 days'`;

const OPERATION_COLUMNS = `account, id, kind, idempotency_key, tills, request, personal, any_payer, phone_hash, currency, amount,
  amount_minor, in_background, state, version, platform_id, transaction, outcome, settled_via, reason, cause, sent_at,
  send_before, created_at, updated_at, sent_about, history`;

/** Returns an operation of which the shop has one for each 1,000 payments. */
function rare(kind: string, prefix: string, request: string, personal: string, outcome: string) {
  return `insert into tillkit.operation (${OPERATION_COLUMNS})
    select 'default', ${idOf(prefix)}, '${kind}', '${kind}-' || n, array[${TILL}],
      ${request}, ${personal}, false, null, 'KES', ${AMOUNT} || '.00', (${AMOUNT} * 100)::text, false, 'succeeded', 3,
      md5('${kind}' || n), null, ${outcome}, 'callback', null, null, ${AT}, ${AT}, ${AT}, ${AT} + ${TOOK}, ${AT}, ${HISTORY}
    ${SERIES} where n % 1000 = 11`;
}

const FILLINGS: readonly Filling[] = [
  {
    table: 'operation',
    insert: `insert into tillkit.operation (${OPERATION_COLUMNS})
      select 'default', ${ID}, 'payment', 'order-' || n, array[${TILL}],
        jsonb_build_object('channel', 'M-PESA STK Push', 'tillNumber', ${TILL}, 'order', null),
        jsonb_build_object('metadata', null, 'subscriber',
          jsonb_build_object('firstName', ${FIRST}, 'lastName', ${LAST}, 'phoneNumber', '+' || ${PHONE})),
        false, ${PHONE_HASH}, 'KES', ${AMOUNT} || '.00', (${AMOUNT} * 100)::text, false, ${STATE}, 4, md5('p' || n),
        case when ${HAS_MONEY} then ${TRANSACTION} end, null,
        case when n <= $3 - 200 and n % 20000 <> 7 then 'callback' end,
        case when n <= $3 - 200 and n % 20 = 3 then (array['cancelled','timeout','insufficient_funds','wrong_pin'])[1 + n / 20 % 4] end,
        case when n <= $3 - 200 and n % 20000 = 7 then 'no_proof' end,
        ${AT}, ${AT}, ${AT}, ${AT} + ${TOOK}, ${AT}, ${HISTORY}
      ${SERIES}`,
  },
  {
    table: 'operation',
    insert: rare(
      'payout',
      '0191',
      `jsonb_build_object('sourceIdentifier', null, 'needsApproval', false, 'transfers',
        jsonb_build_array(jsonb_build_object('type', 'mobile_wallet', 'amount', ${AMOUNT} || '.00')))`,
      `jsonb_build_object('metadata', null, 'requestedBy', null, 'recipients', jsonb_build_array(jsonb_build_object(
        'type', 'mobile_wallet', 'nickname', ${FIRST}, 'phoneNumber', '+' || ${PHONE}, 'network', 'Safaricom',
        'amount', ${AMOUNT} || '.00', 'description', 'Supplies')))`,
      `jsonb_build_array(jsonb_build_object('state', 'paid', 'transactionReference', 'P' || n, 'errors', '[]'::jsonb))`,
    ),
  },
  {
    table: 'operation',
    insert: rare(
      'refund',
      '0192',
      `jsonb_build_object('paymentId', ${ID}, 'reference', ${RECEIPT}, 'tillNumber', ${TILL}, 'why', 'returned goods')`,
      `jsonb_build_object('metadata', null, 'requestedBy', null)`,
      `jsonb_build_object('state', 'paid', 'reference', 'R' || n)`,
    ),
  },
  {
    table: 'operation',
    insert: rare(
      'payment_link',
      '0193',
      `jsonb_build_object('tillNumber', ${TILL}, 'paymentReference', 'invoice-' || n, 'order', null)`,
      `jsonb_build_object('metadata', null, 'requestedBy', null, 'note', 'Thank you')`,
      `jsonb_build_object('url', 'https://pay.example/' || n, 'expiresAt', null)`,
    ),
  },
  {
    table: 'operation_queue',
    insert: `insert into tillkit.operation_queue (account, id, followed, money, sent_about, due_at, listed_as)
      select 'default', ${ID}, ${STATE} <> 'pending', (${AMOUNT} * 100)::text || ' KES', ${AT}, 'infinity',
        case ${STATE} when 'needs_review' then 'in_review' when 'reversed' then 'rare' end
      ${SERIES} where ${STATE} in ('pending', 'needs_review', 'reversed')`,
  },
  {
    table: 'platform_name',
    insert: `insert into tillkit.platform_name (account, name, operation_id, is_transfer)
      select 'default', sha256(convert_to('payment' || chr(10) || md5('p' || n), 'UTF8')), ${ID}, false ${SERIES} where n <= $3`,
  },
  {
    table: 'transaction',
    insert: `insert into tillkit.transaction (
        account, reference_hash, reference, sums, marks, several, untied, originated_at, amount_hash, payer_hash, created_at)
      select 'default', sha256((length(${RECEIPT}) || ':' || ${RECEIPT})::bytea), ${RECEIPT}, jsonb_build_array(jsonb_build_object(
          'tills', jsonb_build_array(${TILL}), 'received', ${TRANSACTION},
          'reversal', case when n % 500 = 11 then ${TRANSACTION} || '{"status": "Reversed"}' end,
          'paymentId', case when n % 100 <> 1 then ${ID} end, 'originatedAt', round(extract(epoch from ${AT}) * 1000),
          'currency', 'KES', 'amountMinor', (${AMOUNT} * 100)::text, 'payerHash', encode(${PHONE_HASH}, 'hex'))),
        jsonb_build_array(jsonb_build_object('webhookEventIds', '[]'::jsonb, 'webhookDeliveryIds', '[]'::jsonb,
          'announced', n % 1000 <> 2, 'reversalAnnounced', n % 500 = 11)),
        false, n % 100 = 1, ${AT}, sha256((${AMOUNT})::text::bytea), ${PHONE_HASH}, ${AT}
      ${SERIES} where ${HAS_MONEY}`,
  },
  {
    table: 'delivery',
    insert: `insert into tillkit.delivery (account, id, key, kind, resource, resource_id, verified_by, body, received_at)
      select 'default', ${ID}, sha256(n::text::bytea), 'callback', 'incoming_payments', ${ID}, 'url', ${BODY}, ${AT} + ${TOOK}
      ${SERIES} where ${IS_KEPT}`,
  },
  {
    table: 'event',
    insert: `insert into tillkit.event (account, id, name, stream, via, payload, created_at)
      select 'default', ${ID}, 'payment.succeeded', ${ID}, 'callback',
        jsonb_build_object('via', 'callback', 'transaction', ${TRANSACTION}), ${AT} + ${TOOK}
      ${SERIES} where ${HAS_MONEY} and ${IS_KEPT}`,
  },
];

/** The totals of these rows, as the commits of the shop would have left them. */
const TOTALS = `
insert into tillkit.total (account, measure, minutes, begins_at, kind, name, till, currency, count, minor)
with final as materialized (
  select date_bin('15 minutes', created_at, 'epoch') as quarter, kind, state, tills[1] as till, reason, settled_via,
    floor(4 * log(2, (extract(epoch from updated_at - created_at) * 1000)::numeric))::text as class, count(*) as count,
    sum(amount_minor::numeric) as minor
  from tillkit.operation where state in ('succeeded', 'failed', 'reversed') group by 1, 2, 3, 4, 5, 6, 7
), money as materialized (
  select date_bin('15 minutes', originated_at, 'epoch') as quarter, sums->0->'tills'->>0 as till,
    count(*) as received, sum((sums->0->>'amountMinor')::numeric) as received_minor,
    count(*) filter (where not untied) as matched,
    coalesce(sum((sums->0->>'amountMinor')::numeric) filter (where not untied), 0) as matched_minor,
    count(*) filter (where (marks->0->>'announced')::boolean) as reported,
    coalesce(sum((sums->0->>'amountMinor')::numeric) filter (where (marks->0->>'announced')::boolean), 0) as reported_minor,
    count(*) filter (where sums->0->'reversal' <> 'null') as reversed,
    coalesce(sum((sums->0->>'amountMinor')::numeric) filter (where sums->0->'reversal' <> 'null'), 0) as reversed_minor
  from tillkit.transaction group by 1, 2
)
select 'default', 'state', 15, quarter, kind, state, till, 'KES', sum(count), sum(minor) from final group by 4, 5, 6, 7
union all
select 'default', 'reason', 15, quarter, kind, reason, '', '', sum(count), 0 from final where reason is not null group by 4, 5, 6
union all
select 'default', 'source', 15, quarter, kind, settled_via, '', '', sum(count), 0 from final group by 4, 5, 6
union all
select 'default', 'time', 15, quarter, kind, class, '', '', sum(count), 0 from final group by 4, 5, 6
union all
select 'default', 'movement', 15, quarter, '', moved.name, till, 'KES', moved.count, moved.minor from money
cross join lateral (values ('received', received, received_minor), ('matched', matched, matched_minor),
  ('reported', reported, reported_minor), ('reversed', reversed, reversed_minor)) as moved(name, count, minor) where moved.count > 0
union all
select 'default', 'delivery', 15, date_bin('15 minutes', received_at, 'epoch'), '', kind, '', '', count(*), 0 from tillkit.delivery
group by 4, 6`;

const LONGER_TOTALS = `
insert into tillkit.total (account, measure, minutes, begins_at, kind, name, till, currency, count, minor)
select account, measure, longer, date_bin(make_interval(mins => longer), begins_at, 'epoch'), kind, name, till, currency, sum(count), sum(minor)
from tillkit.total cross join (values (60), (1440)) as length(longer)
group by account, measure, longer, date_bin(make_interval(mins => longer), begins_at, 'epoch'), kind, name, till, currency`;

/** Number of payments per statement. */
const STEP = 100_000;

/** Fills the database with a year of a shop that took so many payments. */
export async function fillShopHistory(
  url: string,
  payments: number,
  log: (line: string) => void,
): Promise<void> {
  const startedAt = performance.now();
  const elapsed = (): string => `${Math.round((performance.now() - startedAt) / 1000)} s`;
  const tables = [...new Set(FILLINGS.map(({ table }) => table))];
  await withClient(url, async (client) => {
    // A commit waits for the disk, and these rows can be made again.
    await client.query('set synchronous_commit = off');
    await withoutIndexes(client, tables, async () => {
      for (const { table, insert } of FILLINGS) {
        for (let from = 1; from <= payments; from += STEP) {
          await client.query(insert, [from, Math.min(from + STEP - 1, payments), payments]);
        }
        log(`${table} written after ${elapsed()}`);
      }
    });
    log(`indexes made after ${elapsed()}`);
    await client.query(TOTALS);
    await client.query(LONGER_TOTALS);
    await client.query('vacuum analyze');
    await client.query('checkpoint');
  });
  log(`${payments.toLocaleString('en-GB')} payments of a year written in ${elapsed()}`);
}
