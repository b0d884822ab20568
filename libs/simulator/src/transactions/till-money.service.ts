import { tillAccount, walletAccount, WORLD, type AccountName } from '../balances/account-name.js';
import type { MerchantContext } from '../merchants/merchant-context.js';
import type { Till } from '../tills/tills.service.js';
import type { WebhookEvents } from '../webhook-events/webhook-events.service.js';
import { minorUnits } from '../values/amount.js';
import { customerResource } from './transaction.resource.js';
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
  /** The account that pays. @default the world */
  readonly from?: AccountName;
  readonly reference?: string | undefined;
  readonly originatedAt?: number | undefined;
}

/** The name of the payment system, as the platform spells it. */
const SYSTEM = 'Lipa Na M-PESA';

/** Moves money and sends the webhooks about it. */
export class TillMoney {
  constructor(
    private readonly context: MerchantContext,
    private readonly store: TransactionsStore,
    private readonly events: WebhookEvents,
  ) {}

  receive(receipt: Receipt): Transaction {
    const transaction = this.store.receive({
      kind: receipt.sendingTill === undefined ? 'buygoods' : 'till-to-till',
      tillNumber: receipt.till.reported,
      amount: receipt.amount,
      currency: receipt.currency,
      system: SYSTEM,
      originatedAt: receipt.originatedAt ?? this.context.clock.now(),
      phoneNumber: receipt.phoneNumber,
      firstName: receipt.firstName,
      middleName: receipt.middleName ?? null,
      lastName: receipt.lastName,
      sendingTill: receipt.sendingTill ?? null,
      payer: receipt.from ?? payerOf(receipt),
      paymentId: receipt.paymentId ?? null,
      reference: receipt.reference,
    });
    this.context.books.book({
      debit: receipt.from ?? WORLD,
      credit: tillAccount(transaction.tillNumber),
      amount: minorUnits(transaction.amount, transaction.currency),
      currency: transaction.currency,
      why: receipt.from === undefined ? 'payment' : 'payout',
      reference: transaction.reference,
    });
    return transaction;
  }

  /** Sends the webhooks of received money, and those of a customer who has paid this merchant for the first time. */
  async sendWebhooks(transaction: Transaction, options: { lost?: boolean } = {}): Promise<void> {
    const topic =
      transaction.kind === 'buygoods'
        ? 'buygoods_transaction_received'
        : 'b2b_transaction_received';
    // Both begin at once. We must know which payment of a customer is the first before the next one comes.
    await Promise.all([
      this.events.publishTransaction(topic, transaction, options),
      this.isOfNewCustomer(transaction) &&
        this.events.publishResource('customer_created', customerResource(transaction), options),
    ]);
  }

  private isOfNewCustomer(transaction: Transaction): boolean {
    // We look only when somebody subscribes to the event, because this reads all transactions.
    if (transaction.kind !== 'buygoods' || !this.events.isWanted('customer_created')) return false;
    for (const other of this.store.all()) {
      const isSame = other.kind === 'buygoods' && other.phoneNumber === transaction.phoneNumber;
      if (isSame && other !== transaction) return false;
    }
    return true;
  }

  /**
   * Reverses the transaction and delivers the webhooks. The first time, the payer gets the money back.
   * @throws InsufficientFundsError when the till has paid the money out
   */
  async reverse(transaction: Transaction): Promise<Transaction> {
    if (!transaction.reversed) this.giveBack(transaction, 'reversal', transaction.reference);
    await this.sendReversedWebhooks(transaction);
    return transaction;
  }

  /** Reverses the transaction after a delay, unless the till has paid the money out by then. */
  reverseLater(transaction: Transaction, delayMs: number): void {
    const { merchant } = transaction;
    this.context.clock.schedule(delayMs, () => {
      this.reverse(transaction).catch((error: unknown) =>
        this.context.journal.note('payment not reversed', { merchant, detail: String(error) }),
      );
    });
  }

  /** Moves the money back to the payer and marks the transaction. @throws InsufficientFundsError */
  giveBack(transaction: Transaction, why: 'reversal' | 'refund', reference: string): void {
    const { amount, currency } = transaction;
    this.context.books.book({
      debit: tillAccount(transaction.tillNumber),
      credit: transaction.payer,
      amount: minorUnits(amount, currency),
      currency,
      why,
      reference,
    });
    transaction.reversed = true;
    if (transaction.kind !== 'buygoods') return;
    this.context.handsets.get(transaction.phoneNumber).receiveMoney({
      from: `till ${transaction.tillNumber}`,
      amount,
      currency,
      reference,
      at: this.context.clock.now(),
      merchant: transaction.merchant,
    });
  }

  async sendReversedWebhooks(transaction: Transaction): Promise<void> {
    const topic =
      transaction.kind === 'buygoods'
        ? 'buygoods_transaction_reversed'
        : 'b2b_transaction_reversed';
    await this.events.publishTransaction(topic, transaction);
  }
}

/** Returns the account of the payer. The money itself comes from the world. */
function payerOf({ phoneNumber, sendingTill }: Receipt): AccountName {
  return sendingTill === undefined ? walletAccount(phoneNumber) : `external_till:${sendingTill}`;
}
