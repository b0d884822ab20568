import { withClient } from './postgres.server.js';
import type { OrderRequest } from './subjects/orders.js';

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

/** The orders that are not paid or whose transaction is not stored. Each order has a phone of its own. */
export async function unfinishedOrders(databaseUrl: string): Promise<OrderRequest[]> {
  return read<OrderRequest>(
    databaseUrl,
    `select id, phone as "phoneNumber" from shop_order o
     where state <> 'paid' or not exists (select from shop_transaction t where t.phone = o.phone)`,
  );
}

async function read<T extends object>(databaseUrl: string, statement: string): Promise<T[]> {
  return withClient(databaseUrl, async (client) => (await client.query<T>(statement)).rows);
}
