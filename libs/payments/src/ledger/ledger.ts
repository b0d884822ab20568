import { Inject, Injectable, Logger } from '@nestjs/common';
import { PlatformClock } from '../http/platform.clock.js';
import { RESOLVED_OPTIONS } from '../payments.constants.js';
import { PaymentNotResolvableError } from '../payments.errors.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import type { IncomingPayment } from '../resources/incoming-payments/incoming-payment.resource.js';
import type { CreateOutcome } from '../resources/platform.client.js';
import { movementOf, type Transaction } from '../resources/transaction.resource.js';
import { isSameTill } from '../values/till-number.js';
import type { NewEvent } from './ledger.events.js';
import {
  bareTieChange,
  fail,
  minorOf,
  observedChange,
  paymentChange,
  reverse,
  stepOf,
  succeed,
  tieChange,
  type ObservedTransaction,
  type PaymentStep,
} from './ledger.changes.js';
import { LedgerFeed } from './ledger.feed.js';
import { decide } from './payment.decision.js';
import {
  aliasFor,
  judgeIncomingPayment,
  judgeTransaction,
  type Judgement,
} from './payment.judgement.js';
import type { PaymentRecord, Via } from './payment.js';
import { FOLLOWED_STATES, isOpen, mayChange, mayOwnMoney } from './payment.states.js';
import { PaymentsStore } from './payments.store.js';
import { reviewedTransaction, type Resolution } from './review.js';
import {
  isAtOneOf,
  joinedFor,
  moneyKey,
  ownerIdOf,
  sumOf,
  sumsAt,
  type MoneyKey,
  type TransactionRecord,
  type TransactionSum,
} from './till-transaction.js';

/** A change that loses against a faster one is judged anew; more often than this is a fault, not a race. */
const MAX_ATTEMPTS = 50;

/** What evidence does to a payment as it is; asked anew, with the number of the attempt, when something was faster. */
type Judge = (
  payment: PaymentRecord,
  attempt: number,
) => PaymentStep | null | Promise<PaymentStep | null>;

/**
 * The one place where evidence becomes a change of state and an event, whoever brings it: callback, webhook, status read,
 * sweep, the create's own answer, a person. Every change is a compare-and-set, committed with its event.
 */
@Injectable()
export class Ledger {
  private readonly logger = new Logger('Tillkit');

  constructor(
    private readonly store: PaymentsStore,
    private readonly feed: LedgerFeed,
    private readonly clock: PlatformClock,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
  ) {}

  /**
   * Commits that the create is about to be written; null when another process was faster, who then sends it, or the time
   * to send is over.
   * @param sender names this attempt: after a commit whose answer was lost, it tells whether that was ours
   */
  async markRequested(
    payment: PaymentRecord,
    sender: string,
    giveUpInMs: number,
  ): Promise<PaymentRecord | null> {
    const step: PaymentStep = {
      via: 'request',
      set: { state: 'requested', sender, sentAt: this.clock.now() },
      dueInMs: giveUpInMs,
    };
    return payment.state === 'created' ? this.commit(payment, step) : null;
  }

  /**
   * Takes the create's own answer. It never overwrites what better evidence has said meanwhile.
   * @param asSent the payment as it was sent: mostly nothing has changed since
   */
  async takeAnswer(asSent: PaymentRecord, outcome: CreateOutcome): Promise<PaymentRecord> {
    const { id } = asSent;
    return this.change(
      id,
      (payment, attempt) => this.answered(payment, attempt, asSent.sender, outcome),
      asSent,
    );
  }

  /** A process died, or slept, between the commit of `requested` and the answer: whether it was sent nobody knows. */
  async giveUpOnAnswer(id: string): Promise<PaymentRecord> {
    const note = 'no answer was recorded: it may have been sent';
    return this.change(id, ({ state }) =>
      state === 'requested'
        ? { via: 'request', set: { state: 'unknown' }, dueInMs: 0, note }
        : null,
    );
  }

  /**
   * Takes what a callback or a read of ours says of a payment request.
   * @param askedAt when the read was made, by the platform's clock: what it denies is money from before that
   */
  async takeIncomingPayment(
    id: string,
    resource: IncomingPayment,
    via: 'callback' | 'status',
    askedAt: Date = this.clock.now(),
  ): Promise<PaymentRecord> {
    const evidence = { via, platformId: resource.id, askedAt };
    const shown = resource.event.resource;
    const payment = await this.take(id, evidence, shown, (current) =>
      judgeIncomingPayment(current, resource, this.options.tillAliases),
    );
    if (!shown || movementOf(shown.status) !== 'reversed') return payment;
    // Money that went back is written where the money is, so that a person who decides is shown it.
    const observed = { via, transaction: shown, reversal: true, webhookEventId: null };
    await this.observeTransaction({ ...observed, announce: false });
    return this.payment(id);
  }

  /** Takes a transaction that was matched to a payment of which the platform never gave an id. */
  async takeMatchedTransaction(id: string, transaction: Transaction): Promise<PaymentRecord> {
    const evidence = { via: 'sweep', platformId: null, askedAt: this.clock.now() } as const;
    return this.take(id, evidence, transaction, (payment) =>
      judgeTransaction(payment, transaction, this.options.tillAliases),
    );
  }

  /** Sends an open payment to review because there is no evidence in time, or too much. */
  async review(
    id: string,
    cause: 'no_evidence' | 'ambiguous',
    detail: string,
  ): Promise<PaymentRecord> {
    const via = cause === 'ambiguous' ? 'sweep' : 'status';
    const decision = { kind: 'review', cause, detail, transaction: null, reference: null } as const;
    return this.change(id, (payment) =>
      isOpen(payment.state) ? this.stepOf(payment, via, decision) : null,
    );
  }

  /** All money of a payment's window was read and none fits: the same customer may be asked again. */
  async releaseWindow(id: string): Promise<PaymentRecord> {
    return this.change(id, ({ state, windowSwept }) =>
      isOpen(state) && !windowSwept
        ? {
            via: 'sweep',
            set: { windowSwept: true },
            note: 'all money of its time was read and none fits: the customer may be asked again',
          }
        : null,
    );
  }

  /**
   * Tells the result of a request that the host made itself, and keeps whose money its transaction is: no payment gets it.
   * @param bareId the id in the request's callback URL
   */
  async takeBareResult(
    event: NewEvent,
    bareId: string,
    transaction: Transaction | null,
  ): Promise<void> {
    const { account, tillAliases } = this.options;
    const key = transaction && moneyKey(transaction);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const known = key && (await this.store.findTransaction(account, key.reference));
      const tie = key && bareTieChange(bareId, transaction, key, known, tillAliases);
      if (key && !tie && attempt === 0)
        await this.store.count(account, 'transaction of two requests', key.reference);
      const change = { account, events: [event], history: [], ...(tie && { transaction: tie }) };
      if (await this.store.commit(change)) {
        this.feed.committed({ events: 1 });
        if (tie) await this.ownsNoOther(bareId);
        return;
      }
    }
    throw new Error(`transaction ${key?.reference} changes faster than it can be judged`);
  }

  /** A request of the host whose money is known can own no other: it is no payment's rival any more. */
  private async ownsNoOther(bareId: string): Promise<void> {
    const { account } = this.options;
    const request = await this.store.findBareRequest(account, 'incoming-payments', bareId);
    if (request?.money) await this.store.keepBareRequest(account, { ...request, money: null });
  }

  /**
   * Takes a transaction of a till. It never settles a payment: that is left to reads. False when the transaction has
   * nothing to be known by.
   * @param first what was just found under its reference, null for nothing: looked up when left out
   */
  async observeTransaction(
    observed: ObservedTransaction,
    first?: TransactionRecord | null,
  ): Promise<boolean> {
    const { account, tillAliases } = this.options;
    const { transaction } = observed;
    const key = moneyKey(transaction);
    if (!key) return false;
    const shown = { ...observed, announce: observed.announce && this.announces(key, transaction) };
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const known =
        attempt === 0 && first !== undefined
          ? first
          : await this.store.findTransaction(account, key.reference);
      if (attempt === 0) await this.countDifference(known, key, transaction);
      const owner = await this.ownerOf(known, key);
      if (attempt === 0) await this.countNamedDifference(known, key, owner, transaction);
      const change = observedChange(account, key, known, owner, shown, tillAliases);
      if (!change) return true;
      if (await this.store.commit(change)) {
        this.feed.committed({ paymentId: change.payment?.id, events: change.events.length });
        return true;
      }
    }
    throw new Error(`transaction ${key.reference} changes faster than it can be judged`);
  }

  /**
   * A person's decision on a payment in review; the one event that is due carries `via: 'review'`.
   * @throws PaymentNotResolvableError when it is not in review any more, or the decision contradicts what is known
   */
  async resolve(id: string, decision: Resolution): Promise<PaymentRecord> {
    const note = `resolved as ${decision.state} by ${decision.by}: ${decision.note}`;
    return this.change(id, async (payment) => {
      if (payment.state !== 'needs_review') {
        throw new PaymentNotResolvableError(id, `it is ${payment.state}, not needs_review`);
      }
      const money = await reviewedTransaction(
        payment,
        decision,
        this.store,
        this.options.tillAliases,
      );
      const step = decisionStep(payment, decision, money?.transaction ?? null);
      return {
        ...step,
        set: { ...step.set, decided: true },
        note,
        ...(money && {
          tie: money.transaction,
          known: money.record,
          isReported: money.isReported,
        }),
      };
    });
  }

  /** What the create's answer does to its payment as it is now. */
  private async answered(
    payment: PaymentRecord,
    attempt: number,
    sender: string | null,
    outcome: CreateOutcome,
  ): Promise<PaymentStep | null> {
    const { id, state, platformId, account } = payment;
    switch (outcome.kind) {
      case 'created':
        if (platformId !== null && platformId !== outcome.id) {
          await this.store.count(account, 'create answered with another id than its callback', id);
        }
        if (platformId !== null) return null;
        // The store refuses an id that is taken: only then it is looked up whose it is.
        if (attempt > 0 && (await this.belongsToAnother(outcome.id, id))) {
          await this.store.count(account, 'create answered with the id of another payment', id);
          return state === 'requested' ? this.pendingFrom('request', { state: 'unknown' }) : null;
        }
        // A payment that was settled without an id can be read from now on.
        if (!isOpen(state)) {
          const followed = FOLLOWED_STATES.includes(state);
          return {
            via: 'request',
            set: { platformId: outcome.id },
            ...(followed && { dueInMs: 0 }),
          };
        }
        return this.pendingFrom('request', { state: 'pending', platformId: outcome.id });
      case 'unknown':
        return state === 'requested'
          ? this.pendingFrom('request', { state: 'unknown' }, outcome.error.message)
          : null;
      case 'rejected':
      case 'not_sent':
        return this.notCharged(payment, sender, outcome);
    }
  }

  private async take(
    id: string,
    {
      via,
      platformId,
      askedAt,
    }: { via: 'callback' | 'status' | 'sweep'; platformId: string | null; askedAt: Date },
    shown: Transaction | null,
    judge: (payment: PaymentRecord) => Judgement,
  ): Promise<PaymentRecord> {
    const key = shown && moneyKey(shown);
    return this.change(id, async (payment, attempt) => {
      // Its id may have been learnt after it was looked up by its callback URL.
      if (platformId !== null && (payment.platformId ?? platformId) !== platformId) {
        await this.store.count(payment.account, 'evidence with another platform id', id);
        return null;
      }
      const known = key && (await this.store.findTransaction(payment.account, key.reference));
      const numbers = key ? joinedFor(payment, key.till) : [];
      const sums = sumsAt(known, numbers, this.options.tillAliases);
      const tiedTo = sums.map(ownerIdOf).find((owner) => owner !== null) ?? null;
      const judgement = judge(withTillsOf(payment, sums));
      // Matching is for payments that cannot be read, and for money that is nobody's.
      if (via === 'sweep' && (payment.platformId !== null || tiedTo !== null)) return null;
      if (attempt === 0 && shown && key) await this.countDifference(known, key, shown);
      const decision = decide(payment, judgement, {
        tiedTo,
        reversed: sums.some(({ reversal }) => reversal !== null),
        isRead: via === 'status',
      });
      if (decision.kind === 'keep' && decision.count) {
        await this.store.count(payment.account, decision.count, payment.id);
      }
      const step = this.stepOf(payment, via, decision);
      // What a read of ours denies is known for money that came before it.
      const denied = via === 'status' && judgement.kind === 'failed' && mayOwnMoney(payment);
      const learnt = platformId !== null && payment.platformId === null ? { platformId } : null;
      if (!step && !learnt && !denied) return null;
      // Whatever else it says, the payment is with the platform.
      const isWithPlatform = learnt !== null && !step?.set.state && isOpen(payment.state);
      const notes = judgement.kind === 'succeeded' ? judgement.notes.join('; ') : '';
      return {
        via,
        ...step,
        set: {
          ...step?.set,
          ...learnt,
          ...(isWithPlatform && { state: 'pending' as const }),
          ...(denied && { deniedAt: askedAt }),
        },
        note: step?.note ?? notes,
        known,
      };
    });
  }

  private stepOf(
    payment: PaymentRecord,
    via: Via,
    decision: Parameters<typeof stepOf>[2],
  ): PaymentStep | null {
    return stepOf(payment, via, decision, this.options.reconciliation.scheduleMs[0] as number);
  }

  /**
   * It was certainly refused, or not sent at all, so it fails, also when another process has meanwhile taken it for abandoned.
   * What another attempt sent is that attempt's to answer for.
   */
  private notCharged(
    payment: PaymentRecord,
    sender: string | null,
    { kind, error }: CreateOutcome & { kind: 'rejected' | 'not_sent' },
  ): PaymentStep | null {
    const { state } = payment;
    const isOurs = sender !== null && payment.sender === sender;
    const unanswered =
      state === 'requested' || (state === 'unknown' && payment.platformId === null);
    return state === 'created' || (unanswered && isOurs)
      ? fail(payment, 'request', kind, [error.message])
      : null;
  }

  /** With the platform from now on: first read when the schedule says. */
  private pendingFrom(via: Via, set: PaymentStep['set'], note?: string): PaymentStep {
    return {
      via,
      set,
      dueInMs: this.options.reconciliation.scheduleMs[0] as number,
      ...(note && { note }),
    };
  }

  /**
   * Judges a payment as it is now and commits what follows, again until nobody was faster. What was known of it may be
   * given instead of a first look: if it is old the commit is refused.
   */
  private async change(id: string, judge: Judge, known?: PaymentRecord): Promise<PaymentRecord> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const payment = attempt === 0 && known ? known : await this.payment(id);
      const step = await judge(payment, attempt);
      if (!step) return payment;
      const changed = await this.commit(payment, step);
      if (changed) return changed;
    }
    throw new Error(`payment ${id} changes faster than it can be judged`);
  }

  /** The payment as it is after the change; null when something was faster. */
  private async commit(payment: PaymentRecord, step: PaymentStep): Promise<PaymentRecord | null> {
    const { state } = step.set;
    if (state && state !== payment.state && !mayChange(payment.state, state)) {
      throw new Error(`payment ${payment.id} cannot go from ${payment.state} to ${state}`);
    }
    const { tillAliases } = this.options;
    const key = step.tie && moneyKey(step.tie);
    const tie =
      step.tie && key
        ? tieChange(payment, step.tie, key, step.known ?? null, tillAliases, step.isReported)
        : undefined;
    const change = paymentChange(payment, step, tie);
    const updatedAt = await this.store.commit(change);
    if (!updatedAt) return null;
    this.feed.committed({ paymentId: payment.id, events: change.events.length });
    return { ...payment, ...step.set, version: payment.version + 1, updatedAt, unchangedMs: 0 };
  }

  async payment(id: string): Promise<PaymentRecord> {
    const payment = await this.store.findPayment(this.options.account, id);
    if (!payment) throw new Error(`payment ${id} is gone from the store`);
    return payment;
  }

  private async belongsToAnother(platformId: string, id: string): Promise<boolean> {
    const owner = await this.store.findPaymentByPlatformId(this.options.account, platformId);
    return owner !== null && owner.id !== id;
  }

  private async ownerOf(
    known: TransactionRecord | null,
    key: MoneyKey,
  ): Promise<PaymentRecord | null> {
    const sums = sumsAt(known, [key.till], this.options.tillAliases);
    const paymentId = sums.find((sum) => sum.paymentId)?.paymentId;
    return paymentId ? this.store.findPayment(this.options.account, paymentId) : null;
  }

  /** Money that cannot be counted, and money at another account's till, emits no event. */
  private announces({ till }: MoneyKey, transaction: Transaction): boolean {
    const { tills, tillAliases } = this.options;
    if (tills.length > 0 && !isSameTill(till, tills, tillAliases)) return false;
    return minorOf(transaction) !== null;
  }

  /** A person named this money for a payment, and the platform now reports another amount. */
  private async countNamedDifference(
    known: TransactionRecord | null,
    key: MoneyKey,
    owner: PaymentRecord | null,
    seen: Transaction,
  ): Promise<void> {
    const { account, tillAliases } = this.options;
    const isNamedOnly = sumOf(known, key, tillAliases)?.received === null;
    if (!owner?.decided || !isNamedOnly || minorOf(seen) === owner.amountMinor) return;
    await this.store.count(account, 'transaction reported with another amount', key.reference);
  }

  /** The first report of money is kept. What differs under the same reference is somebody's mistake, and is shown. */
  private async countDifference(
    known: TransactionRecord | null,
    key: MoneyKey,
    seen: Transaction,
  ): Promise<void> {
    const { account, tillAliases } = this.options;
    const sum = sumOf(known, key, tillAliases);
    const minor = minorOf(seen);
    if (minor === null && movementOf(seen.status) !== 'reversed') {
      await this.store.count(account, 'transaction with an unreadable amount', key.reference);
    }
    if (sum?.received && minor !== sum.amountMinor) {
      this.logger.warn(
        `transaction ${key.reference} was reported again with another amount; the first one is kept`,
      );
      await this.store.count(account, 'transaction reported with another amount', key.reference);
    }
    const other = known?.sums[0]?.tills[0];
    if (!sum && other !== undefined) {
      const alias = aliasFor(key.till, other);
      this.logger.warn(
        `transaction ${key.reference} is reported at two tills, ${other} and ${key.till}, and counts as two sums; ` +
          `if both are one till, set PAYMENTS_TILL_ALIASES=${alias}`,
      );
      await this.store.count(
        account,
        `one reference at two tills: PAYMENTS_TILL_ALIASES=${alias} would join them`,
        key.reference,
      );
    }
  }
}

/** Numbers that were one till when money was seen there stay one for the payment whose money it is. */
function withTillsOf(payment: PaymentRecord, sums: readonly TransactionSum[]): PaymentRecord {
  const joined = sums.filter((sum) => isAtOneOf(sum, payment.tills)).flatMap(({ tills }) => tills);
  return { ...payment, tills: [...payment.tills, ...joined] };
}

function decisionStep(
  payment: PaymentRecord,
  { state }: Resolution,
  transaction: Transaction | null,
): PaymentStep {
  if (state === 'failed' || !transaction)
    return fail(payment, 'review', payment.reason ?? 'unknown', payment.errors);
  return state === 'reversed'
    ? reverse(payment, 'review', transaction)
    : succeed(payment, 'review', transaction);
}
