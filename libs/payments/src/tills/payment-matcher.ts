import { Injectable } from '@nestjs/common';
import { PlatformClocks } from '../platform/platform-clock.js';
import { BareRequestsStore } from '../store/bare-requests.store.js';
import { Ledger } from '../ledger/ledger.js';
import { listedDigest } from '../ledger/assessment.js';
import { isDecidable, isOpen } from '../ledger/operation-states.js';
import { OperationsStore, type UnmatchedQuery } from '../store/operations.store.js';
import { logFieldsOf, type Operation } from '../store/operation.js';
import type { PaymentEvidence } from '../operations/payments/payment.kind.js';
import { isPayment, type PaymentRecord } from '../operations/payments/payment.js';
import { AccountRegistry } from '../accounts/account-registry.js';
import {
  hasReference,
  type NamedTransaction,
  ownerIdOf,
  readPayerOf,
  type TransactionSum,
} from '../money/transaction.js';
import { minorOf, nameOf } from '../money/transaction-sameness.js';
import { TransactionsStore } from '../store/transactions.store.js';
import { phoneHash } from '../money/phone-number.js';
import { isSameTill } from '../money/till-number.js';
import { SafeLogger } from '../runtime/logging.js';
import {
  isDenied,
  moneyWindow,
  sendingWindow,
  wholeWindowsIn,
  type MoneyWindow,
} from './match-window.js';
import type { SweptLists } from './swept-lists.js';

/** Most payments that are read at once. */
const BATCH = 200;

/** Most transactions that the detail of a review names. */
const MOST_NAMED = 5;

/** A transaction that may be the money of a payment. */
interface PossibleMoney {
  sum: TransactionSum;
  /** The time since which we know it, by the store's clock. */
  knownSince: Date;
  /** Sums under its reference. Two mean that it was reported at two tills that no alias joins. */
  sums: number;
}

/** The result of a comparison of a payment with the lists of its window. */
type Verdict =
  | { kind: 'nothing' }
  /** Several may be its money, or it may be that of several. */
  | { kind: 'ambiguous'; detail: string; possible: readonly PossibleMoney[] }
  | { kind: 'money'; transaction: NamedTransaction };

/**
 * True when a payment is matched with lists: nobody knows its id, and proof may still settle it, or contradict the person who failed it. A
 * payment that `tillkit restored` has made unknown has no sender: nobody knows whether and when it was sent, so its window proves nothing.
 */
export function isMatched(payment: Operation): payment is PaymentRecord {
  const { platformId, sender, sentAt, state, decided } = payment;
  if (!isPayment(payment) || platformId !== null || !sender || !sentAt) return false;
  return isDecidable(payment) || (state === 'failed' && decided);
}

/**
 * Matches payments without a platform id with money at their till, by the lists that a sweep has in hand: only when exactly one sum fits the payment, and
 * exactly one payment fits that sum. Any other match would be a guess, so the payment goes to review. Nothing that a list does not show lets a second request
 * through: that ends with the outcome of the payment alone.
 * @see docs/promises.md#which-money-is-whose
 */
@Injectable()
export class PaymentMatcher {
  private readonly logger = new SafeLogger();

  constructor(
    private readonly transactionsStore: TransactionsStore,
    private readonly operationsStore: OperationsStore,
    private readonly bareRequestsStore: BareRequestsStore,
    private readonly ledger: Ledger<PaymentRecord>,
    private readonly clocks: PlatformClocks,
    private readonly accounts: AccountRegistry,
  ) {}

  /**
   * Matches all payments whose window lies in the lists.
   * @param since only those whose window ended later: the others were matched with the first of these lists
   */
  async matchAll(lists: SweptLists, since: Date): Promise<void> {
    const span = wholeWindowsIn(lists, since);
    let query: UnmatchedQuery = { ...span, limit: BATCH };
    for (;;) {
      const found = await this.operationsStore.findUnmatched(lists.account, query);
      for (const payment of found) if (isMatched(payment)) await this.matchSafely(payment, lists);
      const last = found.at(-1);
      if (!last || found.length < BATCH) return;
      query = { ...query, after: { sentAt: last.sentAt as Date, id: last.id } };
    }
  }

  /** One payment that cannot be matched must not keep the sweep from all others. Its time to be reviewed comes all the same. */
  private async matchSafely(payment: PaymentRecord, lists: SweptLists): Promise<void> {
    try {
      await this.match(payment, lists);
    } catch (error) {
      this.logger.warn(`a payment could not be matched: ${String(error)}`, logFieldsOf(payment));
    }
  }

  /**
   * Matches a payment whose window lies in the lists. When nothing fits, an open payment goes to review: a person is informed, and later
   * proof settles it.
   */
  async match(payment: PaymentRecord, lists: SweptLists): Promise<void> {
    const { tillAliases } = this.accounts.settings(payment.account);
    if (lists.till !== null && !isSameTill(lists.till, payment.tills, tillAliases)) return;
    const verdict = await this.verdictOn(payment, lists);
    if (verdict.kind === 'money') {
      const matched = verdict.transaction;
      await this.ledger.apply(payment, {
        via: 'sweep',
        platformId: null,
        askedAt: this.clocks.clock(payment.account).now(),
        transaction: matched,
        content: { matched } satisfies PaymentEvidence,
      });
      return;
    }
    if (!isOpen(payment.state)) return;
    if (verdict.kind === 'nothing') {
      const detail = 'its create got no answer, and the list of its till shows no money that fits';
      await this.ledger.review(payment, 'no_evidence', detail);
      return;
    }
    const evidence = verdict.possible.flatMap(({ sum }) =>
      sum.received ? [listedDigest(sum.received)] : [],
    );
    await this.ledger.review(payment, 'ambiguous', verdict.detail, evidence);
  }

  private async verdictOn(payment: PaymentRecord, lists: SweptLists): Promise<Verdict> {
    const window = moneyWindow(payment.sentAt as Date);
    const { tillAliases } = this.accounts.settings(payment.account);
    const possible = await this.possibleMoney(payment, window);
    const ambiguous = (detail: string): Verdict => ({ kind: 'ambiguous', detail, possible });
    const unread = lists.unread.find(
      ({ till, from, to }) =>
        from <= window.to &&
        to >= window.from &&
        (till === null || isSameTill(till, payment.tills, tillAliases)),
    );
    // The person who ended the payment as failed knew that this money was unclear. Only money that can be read says more.
    if (unread && payment.state !== 'failed')
      return ambiguous(`${unread.what} cannot be read, and may be its money`);
    const found = possible.find(({ sum }) =>
      sum.tills.some((till) => isSameTill(till, payment.tills, tillAliases)),
    );
    if (!found?.sum.received) return { kind: 'nothing' };
    const { received, originatedAt } = found.sum;
    if (!hasReference(received))
      return ambiguous('a transaction fits that has no reference to be known by');
    const named = `transaction ${received.reference} fits`;
    if (possible.length > 1) return ambiguous(severalFit(possible));
    if (!originatedAt) return ambiguous(`${named}, and its origination_time cannot be read`);
    if (!isPaidBy(payment, found.sum)) return ambiguous(`${named}, and does not show who paid it`);
    if (found.sums > 1)
      return ambiguous(`${named}, and was reported at two tills that no alias joins`);
    if (this.cameFirst(payment, found))
      return ambiguous(
        `${named}, and came before the payment was sent: the customer may have paid directly`,
      );
    const rivals = await this.rivals(payment, found.sum);
    if (rivals > 0) return ambiguous(`${named} ${rivals + 1} payments`);
    return { kind: 'money', transaction: received };
  }

  /** Money that was known here before the payment, or that originated before it was sent, is not its money: the customer paid on his own. */
  private cameFirst(payment: PaymentRecord, { sum, knownSince }: PossibleMoney): boolean {
    const { errorMs } = this.clocks.clock(payment.account);
    const sentAt = (payment.sentAt as Date).getTime();
    return knownSince < payment.createdAt || Number(sum.originatedAt) < sentAt - errorMs;
  }

  /** Returns the sums that fit the payment at any till, because another number may be its till without an alias. */
  private async possibleMoney(
    payment: PaymentRecord,
    window: MoneyWindow,
  ): Promise<PossibleMoney[]> {
    if (payment.subscriber.phoneNumber === '') return [];
    const { currency } = payment.amount;
    const records = await this.transactionsStore.findUntied(payment.account, {
      currency,
      amountMinor: payment.amountMinor,
      payerHash: phoneHash(payment.subscriber.phoneNumber),
      ...window,
    });
    return records.flatMap(({ sums, createdAt }) =>
      sums
        .filter((sum) => fits(payment, window, sum, createdAt))
        .map((sum) => ({ sum, knownSince: createdAt, sums: sums.length })),
    );
  }

  /**
   * Counts the other payments and bare requests that could own the sum. Their own reads decide: a failed one is read again because the
   * money fits it.
   */
  private async rivals(payment: PaymentRecord, sum: TransactionSum): Promise<number> {
    const { account } = payment;
    const query = {
      currency: payment.amount.currency,
      amountMinor: payment.amountMinor,
      payerHash: sum.payerHash,
      ...sendingWindow(sum.originatedAt as Date),
    };
    const operations = await this.operationsStore.findCandidates(account, query);
    const rivals = operations.filter((rival) => rival.id !== payment.id && couldOwn(rival, sum));
    const bare = await this.bareRequestsStore.findCandidates(account, query);
    return rivals.length + bare.length;
  }
}

/** Names the transactions that fit, for the person who decides. */
function severalFit(possible: readonly PossibleMoney[]): string {
  const names = possible.map(({ sum: { received } }) => received && nameOf(received));
  return names.length <= MOST_NAMED && names.every((name) => name !== null)
    ? `transactions ${names.join(', ')} fit this payment`
    : `${names.length} transactions fit this payment`;
}

/**
 * True when a sum without an owner fits a payment by amount, payer and time. Where its time cannot be read, the time of the report counts.
 */
function fits(
  payment: PaymentRecord,
  { from, to }: MoneyWindow,
  sum: TransactionSum,
  reportedAt: Date,
): boolean {
  if (!sum.received || ownerIdOf(sum) !== null) return false;
  const at = sum.originatedAt ?? reportedAt;
  return (
    at >= from &&
    at <= to &&
    sum.currency === payment.amount.currency &&
    minorOf(sum.received) === payment.amountMinor &&
    mayBePaidBy(payment, sum)
  );
}

/** True when a sum shows that the payer of a payment has paid it. */
function isPaidBy({ subscriber }: PaymentRecord, { payerHash }: TransactionSum): boolean {
  return payerHash === phoneHash(subscriber.phoneNumber);
}

/** True when a sum may be from the payer of a payment. A different hash may be of the same number in another form. */
function mayBePaidBy(payment: PaymentRecord, sum: TransactionSum): boolean {
  return isPaidBy(payment, sum) || readPayerOf(sum) === null;
}

/**
 * True when a rival may still own a sum. Proof against it is another transaction, a read that denied the sum, or a person's decision. A
 * different till is no proof: money can come to another till than the requested one, and another number may be the same till without an
 * alias.
 */
function couldOwn(rival: Operation, { originatedAt }: TransactionSum): boolean {
  const { state, reason, transaction, decided, deniedAt } = rival;
  if (transaction !== null || decided) return false;
  if (state === 'failed' && (reason === 'rejected' || reason === 'not_sent')) return false;
  return !isDenied(deniedAt, originatedAt as Date);
}
