import { withClient } from './postgres.server.js';

/** Fails unless exactly so many orders are paid in the database, and so many transactions stored. */
export async function requirePaid(databaseUrl: string, count: number): Promise<void> {
  const [row] = await read<{ paid: number; transactions: number }>(
    databaseUrl,
    `select (select count(*)::int from shop_order where state = 'paid') as paid,
       (select count(*)::int from shop_transaction) as transactions`,
  );
  const { paid, transactions } = row as { paid: number; transactions: number };
  if (paid !== count || transactions !== count)
    throw new Error(
      `of ${count} payments, ${paid} orders are paid and ${transactions} transactions stored`,
    );
}

/** The phones of the orders that are not paid or whose transaction is not stored. Each order has a phone of its own. */
export async function unfinishedPhones(databaseUrl: string): Promise<string[]> {
  const rows = await read<{ phone: string }>(
    databaseUrl,
    `select phone from shop_order o
     where state <> 'paid' or not exists (select from shop_transaction t where t.phone = o.phone)`,
  );
  return rows.map(({ phone }) => phone);
}

/** The phones of those orders that have a payment which Tillkit has yet to send. */
export async function unsentPhones(
  databaseUrl: string,
  phones: readonly string[],
): Promise<string[]> {
  const rows = await read<{ phone: string }>(
    databaseUrl,
    `select phone from shop_order o
     join tillkit.operation p on p.idempotency_key = o.id and p.state = 'created'
     where o.phone = any($1)`,
    [phones],
  );
  return rows.map(({ phone }) => phone);
}

async function read<T extends object>(
  databaseUrl: string,
  statement: string,
  values: unknown[] = [],
): Promise<T[]> {
  return withClient(databaseUrl, async (client) => (await client.query<T>(statement, values)).rows);
}
