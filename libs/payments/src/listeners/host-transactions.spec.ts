import { describe, expect, it } from '@jest/globals';
import { PaymentsConfigurationError } from '../payments.errors.js';
import type { HostDatabase } from '../store/host-transaction.js';
import { HostTransactions } from './host-transactions.js';

describe('What begins the transactions of the host', () => {
  const pool = (): HostDatabase => ({ connect: () => undefined, totalCount: 0 });

  it('is one for all accounts, also those that do not set it', () => {
    const [transactions, database] = [new HostTransactions(), pool()];
    for (const option of [undefined, database, undefined, database]) transactions.use(option);
    expect(transactions.databaseFor('Orders.paid')).toBe(database);
  });

  it('is refused when two accounts set different ones', () => {
    const transactions = new HostTransactions();
    transactions.use(pool());
    expect(() => transactions.use(pool())).toThrow(PaymentsConfigurationError);
  });
});
