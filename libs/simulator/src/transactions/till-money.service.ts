import type { SimulatedClock } from '../clock/clock.service.js';
import { NotKnownError } from '../simulator.errors.js';
import type { Till } from '../tills/tills.service.js';
import type { WebhookEvents } from '../webhook-events/webhook-events.service.js';
import type { Transaction, TransactionsStore } from './transactions.store.js';

/** A payment into a till. */
export interface Receipt {
  readonly till: Till;
  readonly phoneNumber: string;
  readonly firstName: string;
  readonly middleName?: string | null;
  readonly lastName: string;
  readonly amount: number;
  readonly currency: string;
  readonly paymentId?: string;
  /** The name of the paying till, for a till-to-till transaction. */
  readonly sendingTill?: string;
  readonly reference?: string | undefined;
  readonly originatedAt?: number | undefined;
}

/** The name of the payment system, as the platform spells it. */
const SYSTEM = 'Lipa Na M-PESA';

/** Moves money and sends the webhooks about it. */
export class TillMoney {
  constructor(
    private readonly store: TransactionsStore,
    private readonly events: WebhookEvents,
    private readonly clock: SimulatedClock,
  ) {}

  receive(receipt: Receipt): Transaction {
    return this.store.add({
      kind: receipt.sendingTill === undefined ? 'buygoods' : 'till-to-till',
      tillNumber: receipt.till.reported,
      amount: receipt.amount,
      currency: receipt.currency,
      system: SYSTEM,
      originatedAt: receipt.originatedAt ?? this.clock.now(),
      phoneNumber: receipt.phoneNumber,
      firstName: receipt.firstName,
      middleName: receipt.middleName ?? null,
      lastName: receipt.lastName,
      sendingTill: receipt.sendingTill ?? null,
      paymentId: receipt.paymentId ?? null,
      reference: receipt.reference,
    });
  }

  /** Sends the webhooks of received money. */
  async sendWebhooks(transaction: Transaction, options: { lost?: boolean } = {}): Promise<void> {
    const topic =
      transaction.kind === 'buygoods'
        ? 'buygoods_transaction_received'
        : 'b2b_transaction_received';
    await this.events.publishTransaction(topic, transaction, options);
  }

  /** Reverses the transaction and delivers the webhooks. @throws NotKnownError */
  async reverse(reference: string): Promise<Transaction> {
    const transaction = this.store.find(reference);
    if (!transaction) throw new NotKnownError('transaction', reference);
    transaction.reversed = true;
    const topic =
      transaction.kind === 'buygoods'
        ? 'buygoods_transaction_reversed'
        : 'b2b_transaction_reversed';
    await this.events.publishTransaction(topic, transaction);
    return transaction;
  }
}
