import { randomBytes } from 'node:crypto';
import type { AccountName } from '../balances/account-name.js';
import { ItemStore } from '../values/item.store.js';

/** Money that was paid into a till. */
export interface Transaction {
  readonly id: string;
  /** The name of the merchant whose till it is. */
  readonly merchant: string;
  readonly reference: string;
  readonly kind: 'buygoods' | 'till-to-till';
  /** The till number after aliases. */
  readonly tillNumber: string;
  readonly amount: number;
  readonly currency: string;
  readonly system: string;
  /** The time of the transaction, in milliseconds on the platform's clock. */
  readonly originatedAt: number;
  readonly phoneNumber: string;
  readonly firstName: string;
  readonly middleName: string | null;
  readonly lastName: string;
  /** The name of the paying till of a till-to-till transaction. */
  readonly sendingTill: string | null;
  /** The account that gets the money back when the transaction is reversed. */
  readonly payer: AccountName;
  /** The payment request of this transaction, if any. */
  readonly paymentId: string | null;
  reversed: boolean;
}

const REFERENCE_LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

export class TransactionsStore extends ItemStore<Transaction> {
  private readonly byReference = new Map<string, Transaction>();

  constructor(
    /** The name of the merchant. */
    readonly merchant: string,
  ) {
    super();
  }

  receive(
    details: Omit<Transaction, 'id' | 'merchant' | 'reference' | 'reversed'> & {
      reference?: string | undefined;
    },
  ): Transaction {
    const reference = details.reference ?? this.newReference();
    const transaction = this.add({
      ...details,
      merchant: this.merchant,
      reference,
      reversed: false,
    });
    this.byReference.set(reference, transaction);
    return transaction;
  }

  findByReference(reference: string): Transaction | undefined {
    return this.byReference.get(reference);
  }

  /** Returns the transactions of a till (null: of all tills) from one time to another, both included, sorted by time. */
  between(from: number, to: number, tillNumber: string | null): Transaction[] {
    return this.all()
      .filter(({ originatedAt }) => originatedAt >= from && originatedAt <= to)
      .filter((transaction) => tillNumber === null || transaction.tillNumber === tillNumber)
      .sort((a, b) => a.originatedAt - b.originatedAt);
  }

  newReference(): string {
    const bytes = randomBytes(10);
    let reference = '';
    for (const byte of bytes) reference += REFERENCE_LETTERS[byte % REFERENCE_LETTERS.length];
    return this.byReference.has(reference) ? this.newReference() : reference;
  }
}
