import { Injectable } from '@nestjs/common';
import { MAX_ATTEMPTS } from '../ledger/ledger.js';
import { LedgerCommits } from '../ledger/ledger.commits.js';
import { bareTieChange } from '../ledger/transaction.changes.js';
import type { Transaction } from '../money/transaction.js';
import { moneyKey } from '../money/transaction.sameness.js';
import { AnomaliesStore } from '../store/anomalies.store.js';
import { ANOMALY } from '../store/anomaly.kinds.js';
import { BareRequestsStore } from '../store/bare-requests.store.js';
import type { NewEvent } from '../store/new-event.js';
import { TransactionsStore } from '../store/transactions.store.js';
import { KnownAccounts } from '../work/known.accounts.js';

/** Commits results of bare requests with their events. */
@Injectable()
export class BareResultLedger {
  constructor(
    private readonly transactions: TransactionsStore,
    private readonly bareRequests: BareRequestsStore,
    private readonly commits: LedgerCommits,
    private readonly anomalies: AnomaliesStore,
    private readonly accounts: KnownAccounts,
  ) {}

  /**
   * Commits the result of a bare request, and ties its transaction to the request, so that no operation gets it.
   * @param bareId the id in the request's callback URL
   */
  async apply(event: NewEvent, bareId: string, transaction: Transaction | null): Promise<void> {
    const { account } = event.payload;
    const { tillAliases } = this.accounts.of(account);
    const key = transaction && moneyKey(transaction);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const known = key && (await this.transactions.find(account, key.reference));
      const tie = key && bareTieChange(bareId, transaction, key, known, tillAliases);
      if (key && !tie && attempt === 0)
        await this.anomalies.record(account, ANOMALY.ofTwoRequests, key.reference);
      const change = { account, events: [event], history: [], ...(tie && { transaction: tie }) };
      if (await this.commits.commit({ change })) {
        if (tie) await this.ownsNoOther(account, bareId);
        return;
      }
    }
    throw new Error(`transaction ${key?.reference} changes faster than it can be written`);
  }

  /** A bare request whose transaction is known can own no other, so it is no rival of operations any more. */
  private async ownsNoOther(account: string, bareId: string): Promise<void> {
    const request = await this.bareRequests.find(account, 'incoming-payments', bareId);
    if (request?.money) await this.bareRequests.keep(account, { ...request, money: null });
  }
}
