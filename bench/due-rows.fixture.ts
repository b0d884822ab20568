import { withClient } from './postgres.server.js';

/** Inserts events with a due listener call, each in its own stream, as `commit_changes` does. */
export async function fillCalls(url: string, count: number, prefix: string): Promise<void> {
  await withClient(url, (client) =>
    client.query(
      `with emitted as (
         insert into tillkit.event (account, id, name, stream, via, payload, created_at)
         select 'default', $2 || n, 'till.transaction.received', $2 || 'stream-' || n, 'webhook',
           jsonb_build_object(
             'eventId', $2 || n, 'occurredAt', to_char(now(), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'via', 'webhook',
             'account', 'default', 'transaction',
             jsonb_build_object('reference', 'REF' || n, 'amount', '100.0', 'currency', 'KES', 'tillNumber', '514459')),
           now()
         from generate_series(1, $1::int) as series(n)
         returning account, id, place, stream, created_at)
       insert into tillkit.call (account, listener, event_id, event_place, stream_key, due_at)
       select account, 'bench', id, place, hashtextextended(stream, 0), created_at from emitted`,
      [count, prefix],
    ),
  );
}

/** Inserts payments that were sent a minute ago and have no outcome. Their next status read is due in `dueInSeconds`. */
export async function fillPending(url: string, count: number, dueInSeconds: number): Promise<void> {
  await withClient(url, async (client) => {
    await client.query(
      `insert into tillkit.operation (
         account, id, kind, idempotency_key, tills, request, personal, any_payer, phone_hash, currency, amount, amount_minor,
         allow_parallel, in_background, state, version, platform_id, sent_at, send_before, due_at, created_at, updated_at)
       select 'default', 'pending-' || n, 'payment', 'key-' || n, '{514459}',
        jsonb_build_object('channel', 'M-PESA STK Push', 'tillNumber', '514459'),
         jsonb_build_object('metadata', null, 'subscriber',
          jsonb_build_object('firstName', 'Jane', 'lastName', 'Doe', 'phoneNumber', '+254700000001')), false,
         sha256(n::text::bytea), 'KES', '100.00', '10000', false, false, 'pending', 3, 'platform-' || n,
         now() - interval '1 minute', now(), now() + $2 * interval '1 second', now() - interval '1 minute', now()
       from generate_series(1, $1::int) as series(n)`,
      [count, dueInSeconds],
    );
    await client.query('analyze tillkit.operation');
  });
}

/** The number of listener calls without an acknowledgement. */
export async function waitingCalls(url: string): Promise<number> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      'select count(*)::int as count from tillkit.call',
    );
    return rows[0]?.count ?? 0;
  });
}
