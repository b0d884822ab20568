import { randomBytes, randomUUID } from 'node:crypto';
import type { AccountName } from '../balances/account.name.js';

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

/** All transactions of one merchant. */
export class TransactionsStore {
  private readonly byReference = new Map<string, Transaction>();
  private readonly byId = new Map<string, Transaction>();

  constructor(
    /** The name of the merchant. */
    readonly merchant: string,
  ) {}

  add(
    details: Omit<Transaction, 'id' | 'merchant' | 'reference' | 'reversed'> & {
      reference?: string | undefined;
    },
  ): Transaction {
    const transaction: Transaction = {
      ...details,
      id: randomUUID(),
      merchant: this.merchant,
      reference: details.reference ?? this.newReference(),
      reversed: false,
    };
    this.byReference.set(transaction.reference, transaction);
    this.byId.set(transaction.id, transaction);
    return transaction;
  }

  find(reference: string): Transaction | undefined {
    return this.byReference.get(reference);
  }

  findById(id: string): Transaction | undefined {
    return this.byId.get(id);
  }

  all(): Iterable<Transaction> {
    return this.byReference.values();
  }

  /** The transactions of a till (null: of all tills) from one time to another, both included, sorted by time. */
  between(from: number, to: number, tillNumber: string | null): Transaction[] {
    const found: Transaction[] = [];
    for (const transaction of this.byReference.values()) {
      if (transaction.originatedAt < from || transaction.originatedAt > to) continue;
      if (tillNumber === null || transaction.tillNumber === tillNumber) found.push(transaction);
    }
    return found.sort((a, b) => a.originatedAt - b.originatedAt);
  }

  newReference(): string {
    const bytes = randomBytes(10);
    let reference = '';
    for (const byte of bytes) reference += REFERENCE_LETTERS[byte % REFERENCE_LETTERS.length];
    return this.byReference.has(reference) ? this.newReference() : reference;
  }
}
