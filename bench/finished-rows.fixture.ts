import { withClient } from './postgres.server.js';

/** A table, its share of all finished rows, and the statement that inserts a range of them. */
interface FinishedTable {
  table: string;
  share: number;
  insert: string;
}

/**
 * Finished rows over half a year. $1 and $2 are the first and last number of the range, $3 is the number of all rows. Ids grow
 * with time, as our ids do.
 */
const AT = `now() - interval '1 day' - (1 - n::float8 / $3) * interval '180 days'`;
const ID = `'0190' || lpad(to_hex(n), 8, '0') || '-7000-8000-000000000000'`;
const SERIES = `from generate_series($1::bigint, $2::bigint) as series(n)`;
const TRANSACTION = `jsonb_build_object(
  'reference', 'FINISHED' || n, 'amount', '100.0', 'currency', 'KES', 'tillNumber', '514459', 'status', 'Received')`;

const TABLES: readonly FinishedTable[] = [
  {
    table: 'delivery',
    share: 0.35,
    insert: `insert into tillkit.delivery (account, id, key, kind, verified_by, body, received_at)
      select 'default', ${ID}, sha256(n::text::bytea), 'webhook', 'signature', decode(repeat('7b', 200), 'hex'), ${AT}
      ${SERIES}`,
  },
  {
    table: 'event',
    share: 0.3,
    insert: `insert into tillkit.event (account, id, name, stream, via, payload, created_at)
      select 'default', ${ID}, 'till.transaction.received', 'FINISHED' || n, 'webhook',
        jsonb_build_object('via', 'webhook', 'transaction', ${TRANSACTION}), ${AT}
      ${SERIES}`,
  },
  {
    table: 'operation',
    share: 0.175,
    insert: `insert into tillkit.operation (
        account, id, kind, idempotency_key, tills, request, personal, any_payer, phone_hash, currency, amount, amount_minor,
        in_background, state, version, platform_id, transaction, sent_at, send_before, created_at, updated_at, sent_about, history)
      select 'default', ${ID}, 'payment', 'finished-' || n, '{514459}',
        jsonb_build_object('channel', 'M-PESA STK Push', 'tillNumber', '514459'),
        jsonb_build_object('metadata', null, 'subscriber',
          jsonb_build_object('firstName', 'Jane', 'lastName', 'Doe', 'phoneNumber', '+254700000001')), false,
        sha256((n % 100000)::text::bytea), 'KES', '100.00', '10000', false, 'succeeded', 4, 'finished-platform-' || n,
        ${TRANSACTION}, ${AT}, ${AT}, ${AT}, ${AT}, ${AT},
        jsonb_build_array(jsonb_build_array(0, 'callback', 'state', 'pending to succeeded'))
      ${SERIES}`,
  },
  {
    table: 'transaction',
    share: 0.175,
    insert: `insert into tillkit.transaction (
        account, reference_hash, reference, sums, marks, several, untied, originated_at, amount_hash, payer_hash, created_at)
      select 'default', sha256(('money' || n)::bytea), 'FINISHED' || n, jsonb_build_array(jsonb_build_object(
          'tills', '["514459"]'::jsonb, 'received', ${TRANSACTION}, 'reversal', null,
          'paymentId', 'finished-' || n, 'originatedAt', null, 'currency', 'KES', 'amountMinor', '10000', 'payerHash', null)),
        '[{"webhookEventIds": [], "webhookDeliveryIds": [], "announced": true, "reversalAnnounced": false}]',
        false, n % 10 = 0, ${AT}, sha256((n % 5000)::text::bytea), sha256((n % 100000)::text::bytea), ${AT}
      ${SERIES}`,
  },
];

/** Number of rows per statement. */
const STEP = 100_000;

/** Inserts the finished rows, two tables concurrently. */
export async function fillFinished(
  url: string,
  rows: number,
  log: (line: string) => void,
): Promise<void> {
  const queue = [...TABLES];
  const startedAt = performance.now();
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) await fillTable(url, next, rows);
  };
  await Promise.all([worker(), worker()]);
  await withClient(url, (client) => client.query('vacuum analyze'));
  await withClient(url, (client) => client.query('checkpoint'));
  log(`${rows} rows written in ${Math.round((performance.now() - startedAt) / 1000)} s`);
}

async function fillTable(
  url: string,
  { share, insert }: FinishedTable,
  rows: number,
): Promise<void> {
  const count = Math.round(rows * share);
  await withClient(url, async (client) => {
    for (let from = 1; from <= count; from += STEP) {
      await client.query(insert, [from, Math.min(from + STEP - 1, count), count]);
    }
  });
}

/** Returns the number of rows of each table, as text. */
export function sharesOf(rows: number): string {
  return TABLES.map(
    ({ table, share }) => `${table} ${Math.round(rows * share).toLocaleString('en-GB')}`,
  ).join(', ');
}
