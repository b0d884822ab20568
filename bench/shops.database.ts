import { withClient } from './postgres.server.js';

/** Fails unless exactly so many orders are paid in the database, and so many transactions stored. */
export async function requirePaid(databaseUrl: string, count: number): Promise<void> {
  const { rows } = await withClient(databaseUrl, (client) =>
    client.query<{ paid: number; transactions: number }>(
      `select (select count(*)::int from shop_order where state = 'paid') as paid,
         (select count(*)::int from shop_transaction) as transactions`,
    ),
  );
  const { paid, transactions } = rows[0] as { paid: number; transactions: number };
  if (paid !== count || transactions !== count)
    throw new Error(
      `of ${count} payments, ${paid} orders are paid and ${transactions} transactions stored`,
    );
}
