import { Inject, Injectable } from '@nestjs/common';
import type { ObservedTransaction } from '../ledger/ledger.changes.js';
import { minorOf } from '../ledger/ledger.changes.js';
import { PaymentsStore, type DeliveryRecord } from '../ledger/payments.store.js';
import { moneyKey, sumOf } from '../ledger/till-transaction.js';
import {
  TillTransactionsService,
  type TakenTransaction,
} from '../ledger/till-transactions.service.js';
import { RESOLVED_OPTIONS } from '../payments.constants.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import type { Transaction } from '../resources/transaction.resource.js';
import type { Message } from './delivery.reader.js';
import { HintedSweeps } from './hinted.sweeps.js';

/** How a webhook was taken. `unconfirmed`: the platform does not list it (yet). */
export type TakenWebhook = TakenTransaction | { kind: 'unconfirmed' };

/** Takes webhooks that report money at a till. */
@Injectable()
export class WebhookSettler {
  constructor(
    private readonly transactions: TillTransactionsService,
    private readonly store: PaymentsStore,
    private readonly hints: HintedSweeps,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
  ) {}

  async settle(
    delivery: DeliveryRecord,
    message: Message & { kind: 'transaction' },
  ): Promise<TakenWebhook> {
    const { transaction, reversal, eventId: webhookEventId } = message;
    const observed: ObservedTransaction = {
      via: 'webhook',
      transaction,
      reversal,
      webhookEventId,
      announce: true,
    };
    if (delivery.verifiedBy === 'signature' || !this.options.deliveries.confirmWebhooks)
      return this.transactions.take(observed, delivery.ageMs);
    const confirmed = await this.confirmed(message);
    if (confirmed) {
      const shown = { ...observed, via: 'sweep', transaction: confirmed } as const;
      return this.transactions.take(shown, delivery.ageMs);
    }
    if (message.at) this.hints.request(message.at);
    return { kind: 'unconfirmed' };
  }

  /** What the platform itself has shown under the same reference, till and amount; nothing in the webhook is followed. */
  private async confirmed({
    transaction,
    reversal,
  }: Message & { kind: 'transaction' }): Promise<Transaction | null> {
    const key = moneyKey(transaction);
    if (!key) return null;
    const known = await this.store.findTransaction(this.options.account, key.reference);
    const sum = sumOf(known, key, this.options.tillAliases);
    const shown = reversal ? sum?.reversal : sum?.received;
    if (!shown || shown.currency !== transaction.currency) return null;
    return minorOf(shown) === minorOf(transaction) ? shown : null;
  }
}
