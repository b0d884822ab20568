import { Injectable } from '@nestjs/common';
import { PlatformClocks } from '../work/platform-clock.js';
import { BareRequestsStore } from '../store/bare-requests.store.js';
import { Ledger } from '../ledger/ledger.js';
import { isDecidable } from '../ledger/operation-states.js';
import { OperationsStore } from '../store/operations.store.js';
import { hasPlatformId, OperationReader } from '../ledger/operation.reader.js';
import { logFieldsOf, type Operation } from '../store/operation.js';
import type { PaymentEvidence } from '../operations/payments/payment-assessment.js';
import type { PaymentRecord } from '../operations/payments/payment.js';
import { KnownAccounts } from '../work/known-accounts.js';
import { hasReference } from '../money/transaction.js';
import type { BackgroundRequest } from '../work/rate-limiter.js';
import { minorOf } from '../ledger/transaction-changes.js';
import { ownerIdOf, readPayerOf, type TransactionSum } from '../money/transaction.record.js';
import { nameOf } from '../money/transaction-sameness.js';
import { MOST_FOUND, TransactionsStore } from '../store/transactions.store.js';
import { phoneHash } from '../money/phone-number.js';
import { isSameTill } from '../money/till-number.js';
import { isDenied, moneyWindow, sendingWindow, type MoneyWindow } from './match-window.js';
import { mayBeOf, type Swept } from './unread-money.js';
import type { UnreadMoney } from '../store/sweeps.store.js';
import { SafeLogger } from '../work/safe-logger.js';

/** Most rivals that are read in one match. */
const MOST_READ = 5;

/** Most transactions that the detail of a review names. */
const MOST_NAMED = 5;

/**
 * Matches payments without a platform id with transactions at their till: only when exactly one sum fits the payment and exactly
 * one
 * payment fits that sum. Any other match would be a guess: the payment goes to review, and is matched again when a rival leaves.
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
    private readonly reader: OperationReader,
    private readonly clocks: PlatformClocks,
    private readonly accounts: KnownAccounts,
  ) {}

  /** Sums without an owner that fit the payment, at its till. */
  async untiedMoney(payment: PaymentRecord): Promise<TransactionSum[]> {
    const possible = await this.possibleMoney(payment);
    return possible.filter((sum) => this.isAtTillOf(payment, sum));
  }

  /**
   * Whether sweeps prove that no money fits the payment. False when they did not read its till, when something that they could not read may be
   * its money, and when there are more sums than the search returns.
   */
  async isSurelyUnpaid(payment: PaymentRecord, swept: Swept): Promise<boolean> {
    if (!this.isOfTillOf(payment, swept)) return false;
    if ((await this.unreadMoneyOf(payment, swept)).length > 0) return false;
    const possible = await this.possibleMoney(payment);
    return possible.length < MOST_FOUND && !possible.some((sum) => this.isAtTillOf(payment, sum));
  }

  private isOfTillOf(payment: PaymentRecord, { till }: Swept): boolean {
    const { tillAliases } = this.accounts.of(payment.account);
    return till === null || isSameTill(till, payment.tills, tillAliases);
  }

  /** What sweeps could not read in full, and may be the money of the payment. */
  private async unreadMoneyOf(payment: PaymentRecord, { unread }: Swept): Promise<UnreadMoney[]> {
    const window = windowOf(payment);
    if (!window) return [];
    const { tillAliases } = this.accounts.of(payment.account);
    const possible: UnreadMoney[] = [];
    for (const each of unread) {
      if (!mayBeOf(payment, window, each, tillAliases)) continue;
      const record =
        each.reference !== null &&
        (await this.transactionsStore.find(payment.account, each.reference));
      const sums = record ? record.sums : [];
      // A report that could be read says more. One that says all is matched like any other.
      const isPossible = sums.some(
        (sum) =>
          mayBePaidBy(payment, sum) &&
          (sum.originatedAt === null || sum.amountMinor === null) &&
          mayBeOf(payment, window, withFacts(each, sum), tillAliases),
      );
      if (sums.length === 0 || isPossible) possible.push(each);
    }
    return possible;
  }

  /** Sums that fit the payment at any till, because another number may be its till without an alias. */
  private async possibleMoney(payment: PaymentRecord): Promise<TransactionSum[]> {
    const window = windowOf(payment);
    if (!window || payment.subscriber.phoneNumber === '') return [];
    const { currency } = payment.amount;
    const records = await this.transactionsStore.findUntied(payment.account, {
      currency,
      amountMinor: payment.amountMinor,
      payerHash: phoneHash(payment.subscriber.phoneNumber),
      ...window,
    });
    return records.flatMap(({ sums, createdAt }) =>
      sums.filter((sum) => fits(payment, window, sum, createdAt)),
    );
  }

  private isAtTillOf(payment: PaymentRecord, { tills }: TransactionSum): boolean {
    const { tillAliases } = this.accounts.of(payment.account);
    return tills.some((till) => isSameTill(till, payment.tills, tillAliases));
  }

  /** Resolves with the payment after the match: unchanged when no sum fits, or when it already is in review. */
  async match(
    payment: PaymentRecord,
    swept: Swept,
    kind: BackgroundRequest,
  ): Promise<PaymentRecord> {
    const [unread] = await this.unreadMoneyOf(payment, swept);
    if (unread) return this.ambiguous(payment, unreadFits(unread));
    const possible = await this.possibleMoney(payment);
    const sum = possible.find((each) => this.isAtTillOf(payment, each));
    if (!sum?.received) return payment;
    if (!hasReference(sum.received))
      return this.ambiguous(payment, 'a transaction fits that has no reference to be known by');
    const { reference } = sum.received;
    if (possible.length > 1) return this.ambiguous(payment, severalFit(possible));
    if (!sum.originatedAt)
      return this.ambiguous(
        payment,
        `transaction ${reference} fits, and its origination_time cannot be read`,
      );
    if (!isPaidBy(payment, sum)) {
      return this.ambiguous(
        payment,
        `transaction ${reference} fits, and does not show who paid it`,
      );
    }
    const record = await this.transactionsStore.find(payment.account, reference);
    if (record && record.sums.length > 1) {
      return this.ambiguous(
        payment,
        `transaction ${reference} fits, and was reported at two tills that no alias joins`,
      );
    }
    // `tillkit restored` has made it unknown. Whether and when it was sent, nobody knows, so its window proves nothing.
    if (payment.sender === null)
      return this.ambiguous(
        payment,
        `transaction ${reference} fits, and nobody knows when the payment was sent`,
      );
    const rivals = await this.rivals(payment, sum, kind);
    if (rivals > 0)
      return this.ambiguous(payment, `transaction ${reference} fits ${rivals + 1} payments`);
    return this.ledger.apply(payment, {
      via: 'sweep',
      platformId: null,
      askedAt: this.clocks.of(payment.account).now(),
      transaction: sum.received,
      content: { matched: sum.received } satisfies PaymentEvidence,
    });
  }

  private ambiguous(payment: PaymentRecord, detail: string): Promise<PaymentRecord> {
    return this.ledger.review(payment, 'ambiguous', detail);
  }

  /** How many other payments and bare requests could own the sum, after reading rivals that no schedule reads. */
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
    const remaining = async (): Promise<Operation[]> =>
      (await this.operationsStore.findCandidates(account, query)).filter(
        (rival) => rival.id !== payment.id && couldOwn(rival, sum),
      );
    const readable = (await remaining()).filter((rival) => hasPlatformId(rival));
    // Decidable rivals have a schedule of their own. Follow-up matches do not read them, else each match would read them again.
    const unread = kind === 'overdue' ? readable : readable.filter((rival) => !isDecidable(rival));
    for (const rival of unread.slice(0, MOST_READ)) await this.readRival(rival, kind);
    const rivals = await remaining();
    const bare = await this.bareRequestsStore.findCandidates(account, query);
    return rivals.length + bare.length;
  }

  /** Reads a rival. If the read fails (404, 5xx), it stays a rival. */
  private async readRival(
    rival: Operation & { platformId: string },
    kind: BackgroundRequest,
  ): Promise<void> {
    try {
      await this.reader.read(rival, kind);
    } catch (error) {
      this.logger.debug(
        `an operation could not be read for a match: ${String(error)}`,
        logFieldsOf(rival),
      );
    }
  }
}

/** Names them for the person who decides. */
function severalFit(sums: readonly TransactionSum[]): string {
  const names = sums.map(({ received }) => received && nameOf(received));
  return names.length <= MOST_NAMED && names.every((name) => name !== null)
    ? `transactions ${names.join(', ')} fit this payment`
    : `${names.length} transactions fit this payment`;
}

/** The window of a payment; null for one that was not sent. */
function windowOf({ sentAt }: PaymentRecord): MoneyWindow | null {
  return sentAt && moneyWindow(sentAt);
}

/** Whether a sum without an owner fits a payment by amount, payer and time; where its time cannot be read, by when it was reported. */
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

/** Whether a sum shows that the payer of a payment has paid it. */
function isPaidBy({ subscriber }: PaymentRecord, { payerHash }: TransactionSum): boolean {
  return payerHash === phoneHash(subscriber.phoneNumber);
}

/** Whether a sum without an owner may be from the payer of a payment. A hash that is another one may be of the same number in another form. */
function mayBePaidBy(payment: PaymentRecord, sum: TransactionSum): boolean {
  if (ownerIdOf(sum) !== null) return false;
  return isPaidBy(payment, sum) || readPayerOf(sum) === null;
}

/** What a listing could not read, with what another report said. */
function withFacts(unread: UnreadMoney, sum: TransactionSum): UnreadMoney {
  return {
    ...unread,
    originatedAt: sum.originatedAt?.getTime() ?? unread.originatedAt,
    currency: sum.currency ?? unread.currency,
    amountMinor: sum.amountMinor ?? unread.amountMinor,
  };
}

/** Names what could not be read, for the person who decides. */
function unreadFits({ reference, fields, from }: UnreadMoney): string {
  return reference === null
    ? `the platform lists an item at ${new Date(from).toISOString()} or later that cannot be read, and that may be its money`
    : `transaction ${reference} may be its money: its ${fields.join(' and ')} cannot be read`;
}

/**
 * Whether a rival may still own a sum. Proof against it is another transaction, a read that denied the sum, or a person's decision.
 * A different till is no proof: money can come to another till than the requested one, and another number may be the same till
 * without an alias.
 */
function couldOwn(rival: Operation, { originatedAt }: TransactionSum): boolean {
  const { state, reason, transaction, decided, deniedAt } = rival;
  if (transaction !== null || decided) return false;
  if (state === 'failed' && (reason === 'rejected' || reason === 'not_sent')) return false;
  return !isDenied(deniedAt, originatedAt as Date);
}
