import { InsufficientFundsError } from '../simulator.errors.js';
import { amountText, majorUnits } from '../values/amount.js';
import { WORLD, type AccountName } from './account-name.js';

/** The reason why money moved. */
export type BookingReason =
  | 'opening balance'
  | 'till closed'
  | 'payment'
  | 'reversal'
  | 'refund'
  | 'payout'
  | 'payout returned';

/** Money that moved from one account to another. */
export interface Booking {
  /** ISO 8601, on the simulator's clock. */
  readonly at: string;
  /** The account that the money left. */
  readonly debit: AccountName;
  /** The account that received the money. */
  readonly credit: AccountName;
  /** The amount is in minor units of the currency: cents of KES. */
  readonly amount: number;
  readonly currency: string;
  readonly why: BookingReason;
  /** The reference of the transaction; null for an opening balance, and for a till of a merchant that was removed. */
  readonly reference: string | null;
}

/** The balance of an account. All balances of a currency, with that of `world`, have the sum 0. */
export interface Balance {
  readonly account: AccountName;
  readonly currency: string;
  /** The balance is in minor units of the currency: cents of KES. Only that of `world` may be below zero. */
  readonly balance: number;
  /** The part of `balance` that scheduled payouts and refunds will take, in minor units. */
  readonly reserved: number;
}

type Entry = { -readonly [Field in keyof Balance]: Balance[Field] };

/** The accounts and every movement of money between them. */
export class Books {
  private readonly bookings: Booking[] = [];
  private readonly entries = new Map<string, Entry>();
  private readonly currencies = new Set<string>();

  constructor(private readonly now: () => number) {}

  /** Moves money. @throws InsufficientFundsError, and moves nothing, if less is available on the debit account. */
  book(booking: Omit<Booking, 'at'>): void {
    const { debit, credit, amount, currency } = booking;
    const from = this.entry(debit, currency);
    if (debit !== WORLD && amount > from.balance - from.reserved) {
      throw new InsufficientFundsError(
        debit,
        `${currency} ${amountText(majorUnits(from.balance - from.reserved, currency))}`,
        `${currency} ${amountText(majorUnits(amount, currency))}`,
      );
    }
    from.balance -= amount;
    this.entry(credit, currency).balance += amount;
    this.bookings.push({ at: new Date(this.now()).toISOString(), ...booking });
  }

  /** Takes everything that is available out of a till, before another merchant gets it. */
  empty(account: AccountName): void {
    for (const currency of this.currencies) {
      if (!this.entries.has(keyOf(account, currency))) continue;
      const amount = this.available(account, currency);
      if (amount > 0) {
        const why = 'till closed';
        this.book({ debit: account, credit: WORLD, amount, currency, why, reference: null });
      }
    }
  }

  /** Reserves money for a later booking. @returns whether so much was available */
  reserve(account: AccountName, currency: string, amount: number): boolean {
    if (amount > this.available(account, currency)) return false;
    this.entry(account, currency).reserved += amount;
    return true;
  }

  /** Makes reserved money available again. */
  release(account: AccountName, currency: string, amount: number): void {
    this.entry(account, currency).reserved -= amount;
  }

  /** Returns the balance without its reserved part, in minor units. */
  available(account: AccountName, currency: string): number {
    const { balance, reserved } = this.entry(account, currency);
    return balance - reserved;
  }

  balance(account: AccountName, currency: string): number {
    return this.entries.get(keyOf(account, currency))?.balance ?? 0;
  }

  /** Returns every account that was used, in the order of its first use. */
  balances(): Balance[] {
    return Array.from(this.entries.values(), (entry) => ({ ...entry }));
  }

  /** Returns every movement, oldest first. */
  list(): Booking[] {
    return [...this.bookings];
  }

  private entry(account: AccountName, currency: string): Entry {
    const key = keyOf(account, currency);
    const existing = this.entries.get(key);
    if (existing) return existing;
    const entry: Entry = { account, currency, balance: 0, reserved: 0 };
    this.entries.set(key, entry);
    this.currencies.add(currency);
    return entry;
  }
}

function keyOf(account: AccountName, currency: string): string {
  return `${currency} ${account}`;
}
