import { Injectable } from '@nestjs/common';
import { KnownAccounts } from '../work/known-accounts.js';
import type { Transaction } from '../money/transaction.js';
import { TillTransactionsService } from '../tills/till-transactions.service.js';
import type { ArrivingDelivery } from '../ledger/arriving-delivery.js';
import type { ObservedTransaction } from '../ledger/observed-transaction.js';
import { minorOf } from '../money/transaction-reports.js';
import { moneyKey, sumOf } from '../money/transaction-sameness.js';
import { TransactionsStore } from '../store/transactions.store.js';
import type { AppliedDelivery } from './applied-delivery.js';
import type { DeliveryOutcome } from './delivery-outcome.js';
import type { Message } from './delivery-parser.js';
import { WebhookConfirmations } from './webhook-confirmations.service.js';

/** Applies webhooks that report a transaction at a till. */
@Injectable()
export class WebhookTransactionsService {
  constructor(
    private readonly transactions: TillTransactionsService,
    private readonly transactionsStore: TransactionsStore,
    private readonly confirmations: WebhookConfirmations,
    private readonly accounts: KnownAccounts,
  ) {}

  async apply(
    delivery: AppliedDelivery,
    message: Message & { kind: 'transaction' },
  ): Promise<DeliveryOutcome> {
    const { account, arriving } = delivery;
    const { transaction, reversal, eventId: webhookEventId } = message;
    // What can be applied before it is stored belongs to an operation of the account.
    if (arriving) await this.untilKnown(arriving, message);
    else if (!(await this.transactions.concerns(account, transaction)))
      return { kind: 'applied', note: 'its till is none of the account: nothing is kept of it' };
    const observed: ObservedTransaction = {
      account,
      via: 'webhook',
      transaction,
      reversal,
      webhookEventId,
      webhookDeliveryId: delivery.id,
      announce: true,
      ...(delivery.arriving ? { arriving: delivery.arriving } : { finishes: delivery }),
    };
    if (delivery.verifiedBy === 'signature') return this.observe(observed, delivery.ageMs);
    const confirmed = await this.confirmed(account, message);
    if (confirmed) {
      const shown = { ...observed, via: 'sweep', transaction: confirmed } as const;
      return this.observe(shown, delivery.ageMs);
    }
    if (message.at) this.confirmations.request(account, message.at, delivery.ageMs);
    return { kind: 'unmatched', why: 'the platform does not list this transaction' };
  }

  /** Money without a record here is stored before it is looked for: to read first would make the answers to all webhooks wait. */
  private async untilKnown(
    arriving: ArrivingDelivery,
    { transaction, reversal }: Message & { kind: 'transaction' },
  ): Promise<void> {
    const key = moneyKey(transaction);
    if (!key || reversal) arriving.mustBeStored();
    await arriving.untilKnown(key, transaction);
  }

  private async observe(observed: ObservedTransaction, ageMs: number): Promise<DeliveryOutcome> {
    const outcome = await this.transactions.observe(observed, ageMs);
    switch (outcome.kind) {
      case 'applied':
        return outcome;
      case 'unnamed':
        return {
          kind: 'unrecognised',
          why: 'the transaction has no reference, id or till by which it could be recognised, or its reference stands at too many tills',
        };
      case 'wait':
        return {
          ...outcome,
          why: 'a payment that it may be the money of has no outcome yet',
        };
    }
  }

  /**
   * The stored transaction with the same reference, till and amount, which the platform showed in a read; null when there is
   * none.
   */
  private async confirmed(
    account: string,
    { transaction, reversal }: Message & { kind: 'transaction' },
  ): Promise<Transaction | null> {
    const key = moneyKey(transaction);
    if (!key) return null;
    const record = await this.transactionsStore.find(account, key.reference);
    const sum = sumOf(record, key, this.accounts.of(account).tillAliases);
    const shown = reversal ? sum?.reversal : sum?.received;
    if (!shown || shown.currency !== transaction.currency) return null;
    if (minorOf(shown) !== minorOf(transaction)) return null;
    // A list may have a type of which no kind is known.
    return { ...shown, kind: shown.kind ?? transaction.kind };
  }
}
