import { Inject, Injectable } from '@nestjs/common';
import { TillTransactionsLedger } from '../ledger/till-transactions.ledger.js';
import { PaymentsStore } from '../ledger/payments.store.js';
import { RESOLVED_OPTIONS } from '../payments.constants.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import { PollingWindowsReader } from '../resources/polling/polling-windows.reader.js';
import type { Transaction } from '../resources/transaction.resource.js';
import { readTimestamp } from '../values/timestamp.js';

/** A sweep does not wait for payments: it comes late enough, and reads are scheduled on their own. */
const NO_WAIT = Number.POSITIVE_INFINITY;

/** Reads what the platform received in a window, and takes it into the ledger like any other news. */
@Injectable()
export class TillSweeper {
  constructor(
    private readonly windows: PollingWindowsReader,
    private readonly transactions: TillTransactionsLedger,
    private readonly store: PaymentsStore,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
  ) {}

  /**
   * Takes all transactions of a window. What originated before sweeps first started is remembered and not told: it is
   * history, not news.
   */
  async sweep(from: Date, to: Date, sweepFrom: Date): Promise<void> {
    for (const transaction of await this.windows.read(from, to)) {
      await this.take(transaction, sweepFrom);
    }
  }

  private async take(transaction: Transaction, sweepFrom: Date): Promise<void> {
    const at = readTimestamp(transaction.originationTime);
    const reversal = transaction.status === 'Reversed';
    if (!reversal && !['Received', 'Complete'].includes(transaction.status ?? '')) {
      await this.store.count(
        this.options.account,
        `unknown transaction status ${transaction.status}`,
        transaction.reference ?? '',
      );
      return;
    }
    await this.transactions.take(
      {
        via: 'sweep',
        transaction,
        reversal,
        webhookEventId: null,
        announce: at !== null && at >= sweepFrom,
      },
      NO_WAIT,
    );
  }
}
