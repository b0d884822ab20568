import { Inject, Injectable, Logger } from '@nestjs/common';
import { RESOLVED_OPTIONS } from '../payments.constants.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import type { BackgroundRequest } from '../http/background.pacer.js';
import { minorOf } from '../ledger/ledger.changes.js';
import { Ledger } from '../ledger/ledger.js';
import { isDenied, moneyWindow, sendingWindow } from '../ledger/match-window.js';
import type { PaymentRecord } from '../ledger/payment.js';
import { hasPlatformId, PaymentReader } from '../ledger/payment.reader.js';
import { isDecidable } from '../ledger/payment.states.js';
import { MOST_FOUND, PaymentsStore } from '../ledger/payments.store.js';
import { ownerIdOf, type TransactionSum } from '../ledger/till-transaction.js';
import { phoneHash } from '../values/phone-number.js';
import { isSameTill } from '../values/till-number.js';

/** Rivals that are asked whether the money is theirs, each time. */
const MOST_READ = 5;

/**
 * Pairs a payment of which the platform never gave an id with money at its till: only when exactly one sum fits the payment
 * and exactly one payment fits that sum. Anything else would be a guess, and goes to review until a rival leaves.
 */
@Injectable()
export class PaymentMatcher {
  private readonly logger = new Logger('Tillkit');

  constructor(
    private readonly store: PaymentsStore,
    private readonly ledger: Ledger,
    private readonly reader: PaymentReader,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
  ) {}

  /** Money at a payment's till, in its window, that belongs to nobody and may be its own. */
  async untiedMoney(payment: PaymentRecord): Promise<TransactionSum[]> {
    const possible = await this.possibleMoney(payment);
    return possible.filter((sum) => this.isAtTillOf(payment, sum));
  }

  /** Whether no money is there that may be a payment's own. False where there is too much to know. */
  async isSurelyUnpaid(payment: PaymentRecord): Promise<boolean> {
    const possible = await this.possibleMoney(payment);
    return possible.length < MOST_FOUND && !possible.some((sum) => this.isAtTillOf(payment, sum));
  }

  /** Money at any till: another number may be the payment's till without an alias. */
  private async possibleMoney(payment: PaymentRecord): Promise<TransactionSum[]> {
    if (!payment.sentAt || payment.subscriber.phoneNumber === '') return [];
    const { currency } = payment.amount;
    const window = moneyWindow(payment.sentAt);
    const records = await this.store.findUntiedTransactions(payment.account, {
      currency,
      amountMinor: payment.amountMinor,
      payerHash: phoneHash(payment.subscriber.phoneNumber),
      ...window,
    });
    return records.flatMap(({ sums }) => sums.filter((sum) => fits(payment, sum)));
  }

  private isAtTillOf(payment: PaymentRecord, { tills }: TransactionSum): boolean {
    return tills.some((till) => isSameTill(till, payment.tills, this.options.tillAliases));
  }

  /** Resolves with the payment as matching leaves it: unchanged when nothing fits, or it is in review already. */
  async match(payment: PaymentRecord, kind: BackgroundRequest): Promise<PaymentRecord> {
    const possible = await this.possibleMoney(payment);
    const sum = possible.find((each) => this.isAtTillOf(payment, each));
    if (!sum?.received) return payment;
    const { reference } = sum.received;
    if (reference === null)
      return this.ambiguous(payment, 'a transaction fits that has no reference to be known by');
    if (possible.length > 1)
      return this.ambiguous(payment, `${possible.length} transactions fit this payment`);
    if (sum.payerHash === null) {
      return this.ambiguous(
        payment,
        `transaction ${reference} fits, and does not show who paid it`,
      );
    }
    const record = await this.store.findTransaction(payment.account, reference);
    if (record && record.sums.length > 1) {
      return this.ambiguous(
        payment,
        `transaction ${reference} fits, and was reported at two tills that no alias joins`,
      );
    }
    const rivals = await this.rivals(payment, sum, kind);
    if (rivals > 0)
      return this.ambiguous(payment, `transaction ${reference} fits ${rivals + 1} payments`);
    return this.ledger.takeMatchedTransaction(payment.id, sum.received);
  }

  private ambiguous(payment: PaymentRecord, detail: string): Promise<PaymentRecord> {
    return this.ledger.review(payment.id, 'ambiguous', detail);
  }

  /** How many others the money could belong to, after those that nothing else reads were asked. */
  private async rivals(
    payment: PaymentRecord,
    sum: TransactionSum,
    kind: BackgroundRequest,
  ): Promise<number> {
    const { account } = payment;
    const query = {
      currency: payment.amount.currency,
      amountMinor: payment.amountMinor,
      payerHash: sum.payerHash,
      ...sendingWindow(sum.originatedAt as Date),
    };
    const remaining = async (): Promise<PaymentRecord[]> =>
      (await this.store.findCandidates(account, query)).filter(
        (rival) => rival.id !== payment.id && couldOwn(rival, sum),
      );
    const readable = (await remaining()).filter(hasPlatformId);
    // What is decided without a person is read on a schedule of its own: each later look of each payment would read it again.
    const unread = kind === 'overdue' ? readable : readable.filter((rival) => !isDecidable(rival));
    for (const rival of unread.slice(0, MOST_READ)) await this.ask(rival, kind);
    const rivals = await remaining();
    const bare = await this.store.findBareCandidates(account, query);
    return rivals.length + bare.length;
  }

  /** One that cannot be read (404, 5xx) stays a rival. */
  private async ask(
    rival: PaymentRecord & { platformId: string },
    kind: BackgroundRequest,
  ): Promise<void> {
    try {
      await this.reader.read(rival, kind);
    } catch (error) {
      this.logger.debug(`payment ${rival.id} could not be read for a match: ${String(error)}`);
    }
  }
}

/** Whether untied money may be a payment's by amount, payer and time. */
function fits(payment: PaymentRecord, sum: TransactionSum): boolean {
  if (!sum.received || ownerIdOf(sum) !== null || !payment.sentAt || !sum.originatedAt)
    return false;
  const { from, to } = moneyWindow(payment.sentAt);
  const { phoneNumber } = payment.subscriber;
  return (
    sum.originatedAt >= from &&
    sum.originatedAt <= to &&
    sum.currency === payment.amount.currency &&
    minorOf(sum.received) === payment.amountMinor &&
    (sum.payerHash === null || sum.payerHash === phoneHash(phoneNumber))
  );
}

/**
 * Whether a payment may still own it. It leaves by proof: other money, a read that denied it, or a person's decision. Its
 * till proves nothing: money came to other tills than was asked for, and another number may be the same till without an alias.
 */
function couldOwn(rival: PaymentRecord, { originatedAt }: TransactionSum): boolean {
  const { state, reason, transaction, decided, deniedAt } = rival;
  if (transaction !== null || decided) return false;
  if (state === 'failed' && (reason === 'rejected' || reason === 'not_sent')) return false;
  return !isDenied(deniedAt, originatedAt as Date);
}
