import { Inject, Injectable } from '@nestjs/common';
import type { TillSighting } from '../ledger/ledger.changes.js';
import type { DeliveryRecord } from '../ledger/payments.store.js';
import { isSameMoney, moneyKey } from '../ledger/till-transaction.js';
import {
  TillTransactionsLedger,
  type TakenTransaction,
} from '../ledger/till-transactions.ledger.js';
import { RESOLVED_OPTIONS } from '../payments.constants.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import { PollingWindowsReader } from '../resources/polling/polling-windows.reader.js';
import type { Transaction } from '../resources/transaction.resource.js';
import { isSameAmount } from '../values/money.js';
import type { Message } from './delivery.reader.js';

/** How far around its own time a webhook that must be confirmed is looked for. */
const AROUND_MS = 60_000;

/** How a webhook was taken. `unconfirmed`: the platform does not list it (yet). */
export type TakenWebhook = TakenTransaction | { kind: 'unconfirmed' };

/** Takes webhooks that tell of money at a till. */
@Injectable()
export class WebhookSettler {
  constructor(
    private readonly transactions: TillTransactionsLedger,
    private readonly windows: PollingWindowsReader,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
  ) {}

  async settle(
    delivery: DeliveryRecord,
    message: Message & { kind: 'transaction' },
  ): Promise<TakenWebhook> {
    const { transaction, reversal, eventId: webhookEventId } = message;
    const hint = delivery.verifiedBy === 'url' && this.options.deliveries.confirmWebhooks;
    const sighting: TillSighting = {
      via: 'webhook',
      transaction,
      reversal,
      webhookEventId,
      announce: true,
    };
    if (!hint) return this.transactions.take(sighting, delivery.ageMs);
    const listed = await this.confirm(message);
    if (!listed) return { kind: 'unconfirmed' };
    return this.transactions.take(
      { ...sighting, via: 'sweep', transaction: listed },
      delivery.ageMs,
    );
  }

  /** What the platform itself lists under the same reference, till and amount; nothing in the webhook is followed. */
  private async confirm({
    transaction,
    at,
    reversal,
  }: Message & { kind: 'transaction' }): Promise<Transaction | null> {
    const key = moneyKey(transaction, this.options.tillAliases);
    if (!key || !at) return null;
    const listed = await this.windows.read(
      new Date(at.getTime() - AROUND_MS),
      new Date(at.getTime() + AROUND_MS),
    );
    return (
      listed.find(
        (item) =>
          isSameMoney(moneyKey(item, this.options.tillAliases), key) &&
          isSameAmount(amountOf(item), amountOf(transaction)) &&
          (item.status === 'Reversed') === reversal,
      ) ?? null
    );
  }
}

function amountOf({ amount, currency }: Transaction): { value: string; currency: string } {
  return { value: amount ?? '', currency: currency ?? '' };
}
