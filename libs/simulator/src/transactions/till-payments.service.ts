import { InvalidInputError } from '../simulator.errors.js';
import type { Tills } from '../tills/tills.service.js';
import { isCurrency } from '../values/amount.value.js';
import { requirePhoneNumber } from '../values/phone.value.js';
import type { TillMoney } from './till-money.service.js';
import type { Transaction, TransactionsStore } from './transactions.store.js';

/** Money paid to a till with no request of ours. */
export interface TillPayment {
  tillNumber: string;
  phoneNumber: string;
  amount: number;
  /** @default 'KES' */
  currency?: string;
  /** @default 'Jane' */
  firstName?: string;
  /** @default null */
  middleName?: string | null;
  /** @default 'Doe' */
  lastName?: string;
  /** The name of a till that pays: makes it a till-to-till transaction. */
  sendingTill?: string;
  /** @default made up */
  reference?: string;
  /** When the money moved, in milliseconds since 1970, for a transaction that is reported late. @default now */
  originatedAt?: Date | number;
  /** Whether the webhooks stay away. @default false */
  silent?: boolean;
}

/** Pays tills with no request of ours. */
export class TillPayments {
  constructor(
    private readonly tills: Tills,
    private readonly ledger: TransactionsStore,
    private readonly money: TillMoney,
  ) {}

  /** @throws InvalidInputError */
  async pay(payment: TillPayment): Promise<Transaction> {
    const { tillNumber, amount, currency = 'KES', sendingTill, reference, originatedAt } = payment;
    const till = this.tills.find(tillNumber);
    if (!till)
      throw new InvalidInputError(
        `Till ${tillNumber} is not one of ${this.tills.numbers().join(', ')}.`,
      );
    requirePhoneNumber(payment.phoneNumber);
    if (!isCurrency(currency) || !(amount > 0)) {
      throw new InvalidInputError(
        `${currency} ${amount} is no amount: an ISO 4217 code and a number above 0.`,
      );
    }
    if (reference !== undefined && this.ledger.find(reference)) {
      throw new InvalidInputError(
        `There is a transaction ${reference} already: a reference names one.`,
      );
    }
    const transaction = this.money.receive({
      till,
      phoneNumber: payment.phoneNumber,
      firstName: payment.firstName ?? 'Jane',
      middleName: payment.middleName ?? null,
      lastName: payment.lastName ?? 'Doe',
      amount,
      currency,
      reference,
      originatedAt: originatedAt === undefined ? undefined : Number(originatedAt),
      ...(sendingTill === undefined ? {} : { sendingTill }),
    });
    await this.money.announce(transaction, { never: payment.silent ?? false });
    return transaction;
  }
}
