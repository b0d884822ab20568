import { InvalidInputError } from '../simulator.errors.js';
import type { MerchantContext } from '../merchants/merchant-context.js';
import type { Till } from '../tills/tills.service.js';
import { MOMENT } from '../clock/clock.service.js';
import { AMOUNT, fitsCurrency, isCurrency } from '../values/amount.js';
import { requireNumber } from '../values/number-range.js';
import { requirePhoneNumber } from '../values/phone-number.js';
import type { TillMoney } from './till-money.service.js';
import type { Transaction } from './transactions.store.js';

/** A payment into a till without a payment request. */
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
  /** The name of the paying till, for a till-to-till transaction. */
  sendingTill?: string;
  /** @default random */
  reference?: string;
  /** The time when the money moved, in milliseconds since 1970, for a transaction that is reported late. @default now */
  originatedAt?: Date | number;
  /** True when the webhooks are not sent. @default false */
  silent?: boolean;
}

/** Pays into the tills of one merchant without a payment request. */
export class TillPayments {
  constructor(
    private readonly context: MerchantContext,
    private readonly money: TillMoney,
  ) {}

  /** @throws InvalidInputError */
  async pay(till: Till, payment: TillPayment): Promise<Transaction> {
    const { amount, currency = 'KES', sendingTill, reference, originatedAt } = payment;
    requirePhoneNumber(payment.phoneNumber);
    requireNumber('amount', amount, AMOUNT);
    if (originatedAt !== undefined) requireNumber('originatedAt', Number(originatedAt), MOMENT);
    if (!isCurrency(currency) || !fitsCurrency(amount, currency)) {
      throw new InvalidInputError(
        `${currency} ${amount} is not a valid amount. Give an ISO 4217 code, and no more decimals than it has.`,
      );
    }
    // A reference names one transaction of the platform, of any merchant.
    if (reference !== undefined && this.context.transactionOf(reference)) {
      throw new InvalidInputError(
        `There is a transaction ${reference} already. Choose another reference.`,
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
    await this.money.sendWebhooks(transaction, { lost: payment.silent ?? false });
    return transaction;
  }
}
