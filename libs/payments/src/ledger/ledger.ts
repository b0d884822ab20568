import { Inject, Injectable, Logger } from '@nestjs/common';
import { RESOLVED_OPTIONS } from '../payments.constants.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import type { IncomingPayment } from '../resources/incoming-payments/incoming-payment.resource.js';
import type { CreateOutcome } from '../resources/platform.client.js';
import type { Transaction } from '../resources/transaction.resource.js';
import {
  fail,
  minorOf,
  paymentChange,
  sightingChange,
  stepOf,
  succeed,
  tieChange,
  type PaymentStep,
  type TillSighting,
} from './ledger.changes.js';
import { LedgerFeed } from './ledger.feed.js';
import { decide } from './payment.decision.js';
import { judgeIncomingPayment, judgeTransaction, type Judgement } from './payment.judgement.js';
import type { PaymentRecord, Via } from './payment.js';
import { isOpen, mayChange } from './payment.states.js';
import { PaymentsStore } from './payments.store.js';
import { moneyKey, type MoneyKey, type TransactionRecord } from './till-transaction.js';

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
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
  ) {}

  /** Commits that the create is about to be written; null when another process was faster, who then sends it. */
  async markRequested(
    payment: PaymentRecord,
    sentAt: Date,
    giveUpInMs: number,
  ): Promise<PaymentRecord | null> {
    const step: PaymentStep = {
      via: 'request',
      set: { state: 'requested', sentAt },
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
    const judge: Judge = async (payment, attempt) => {
      const { state, platformId, account } = payment;
      switch (outcome.kind) {
        case 'created':
          if (platformId !== null && platformId !== outcome.id) {
            await this.store.count(
              account,
              'create answered with another id than its callback',
              id,
            );
          }
          if (platformId !== null) return null;
          // The store refuses an id that is taken: only then it is looked up whose it is.
          if (attempt > 0 && (await this.belongsToAnother(outcome.id, id))) {
            await this.store.count(account, 'create answered with the id of another payment', id);
            return state === 'requested' ? this.pendingFrom('request', { state: 'unknown' }) : null;
          }
          if (!isOpen(state)) return { via: 'request', set: { platformId: outcome.id } };
          return this.pendingFrom('request', { state: 'pending', platformId: outcome.id });
        case 'unknown':
          return state === 'requested'
            ? this.pendingFrom('request', { state: 'unknown' }, outcome.error.message)
            : null;
        case 'rejected':
        case 'not_sent':
          return state === 'requested' || state === 'created'
            ? fail(payment, 'request', outcome.kind, [outcome.error.message])
            : null;
      }
    };
    return this.change(id, judge, asSent);
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

  /** Takes what a callback or a read of ours says of a payment request. */
  async takeIncomingPayment(
    id: string,
    resource: IncomingPayment,
    via: 'callback' | 'status',
  ): Promise<PaymentRecord> {
    return this.take(id, via, resource.id, (payment) =>
      judgeIncomingPayment(payment, resource, this.options.tillAliases),
    );
  }

  /** Takes a transaction that was matched to a payment of which the platform never gave an id. */
  async takeMatchedTransaction(id: string, transaction: Transaction): Promise<PaymentRecord> {
    return this.take(id, 'sweep', null, (payment) =>
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
    return this.change(id, (payment) =>
      isOpen(payment.state)
        ? this.stepOf(payment, via, { kind: 'review', cause, detail, transaction: null })
        : null,
    );
  }

  /**
   * Takes a transaction of a till. It never settles a payment: that is left to reads. False when the transaction has
   * nothing to be known by.
   * @param first what was just found of it, null for nothing: looked up when left out
   */
  async takeTillTransaction(
    sighting: TillSighting,
    first?: TransactionRecord | null,
  ): Promise<boolean> {
    const { account, tillAliases } = this.options;
    const { transaction } = sighting;
    const key = moneyKey(transaction, tillAliases);
    if (!key) return false;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const known =
        attempt === 0 && first !== undefined
          ? first
          : await this.store.findTransaction(account, key);
      const change = sightingChange(account, key, known, await this.ownerOf(known), sighting);
      if (known && attempt === 0) await this.countDifference(known, transaction);
      if (!change) return true;
      if (await this.store.commit(change)) {
        this.feed.committed({ paymentId: change.payment?.id, events: change.events.length });
        return true;
      }
    }
    throw new Error(`transaction ${key.reference} changes faster than it can be judged`);
  }

  /** A person's word on a payment in review; the one event that is due is told with `via: 'review'`. */
  async resolve(
    id: string,
    word: { state: 'succeeded' | 'failed'; note: string; transaction: Transaction | null },
  ): Promise<PaymentRecord> {
    return this.change(id, async (payment) => {
      if (payment.state !== 'needs_review') return null;
      const { note } = word;
      if (word.state === 'failed') {
        return { ...fail(payment, 'review', payment.reason ?? 'unknown', payment.errors), note };
      }
      const transaction = word.transaction ?? payment.transaction;
      if (!transaction) return null;
      return {
        ...succeed(payment, 'review', transaction),
        note,
        known: await this.known(transaction),
      };
    });
  }

  private async take(
    id: string,
    via: Via,
    platformId: string | null,
    judge: (payment: PaymentRecord) => Judgement,
  ): Promise<PaymentRecord> {
    return this.change(id, async (payment) => {
      const judgement = judge(payment);
      const shown = 'transaction' in judgement ? judgement.transaction : null;
      const known = shown && (await this.known(shown));
      const decision = decide(payment, judgement, {
        key: shown && moneyKey(shown, this.options.tillAliases),
        ownKey: this.keyOf(payment),
        tiedTo: known?.paymentId ?? null,
        reversed: known?.reversal != null,
        isRead: via === 'status',
      });
      if (decision.kind === 'keep' && decision.count) {
        await this.store.count(payment.account, decision.count, payment.id);
      }
      const step = this.stepOf(payment, via, decision);
      const learnt = platformId !== null && payment.platformId === null ? { platformId } : null;
      if (!step && !learnt) return null;
      const notes = judgement.kind === 'succeeded' ? judgement.notes.join('; ') : '';
      return { via, ...step, set: { ...step?.set, ...learnt }, note: step?.note ?? notes, known };
    });
  }

  private stepOf(
    payment: PaymentRecord,
    via: Via,
    decision: Parameters<typeof stepOf>[2],
  ): PaymentStep | null {
    return stepOf(payment, via, decision, this.options.reconciliation.scheduleMs[0] as number);
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
    const key = step.tie && moneyKey(step.tie, this.options.tillAliases);
    const tie =
      step.tie && key ? tieChange(payment.id, step.tie, key, step.known ?? null) : undefined;
    const change = paymentChange(payment, step, tie);
    const updatedAt = await this.store.commit(change);
    if (!updatedAt) return null;
    this.feed.committed({ paymentId: payment.id, events: change.events.length });
    return { ...payment, ...step.set, version: payment.version + 1, updatedAt };
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

  private async known(transaction: Transaction): Promise<TransactionRecord | null> {
    const key = moneyKey(transaction, this.options.tillAliases);
    return key && this.store.findTransaction(this.options.account, key);
  }

  private async ownerOf(
    known: TransactionRecord | null,
  ): Promise<{ payment: PaymentRecord; key: MoneyKey | null } | null> {
    const payment = known?.paymentId
      ? await this.store.findPayment(known.account, known.paymentId)
      : null;
    return payment && { payment, key: this.keyOf(payment) };
  }

  private keyOf({ transaction }: PaymentRecord): MoneyKey | null {
    return transaction && moneyKey(transaction, this.options.tillAliases);
  }

  /** The first telling of money is kept. Another amount under the same key is somebody's mistake, and is shown. */
  private async countDifference(known: TransactionRecord, seen: Transaction): Promise<void> {
    if (!known.received || minorOf(seen) === known.amountMinor) return;
    this.logger.warn(
      `transaction ${known.reference} was told again with another amount; the first one is kept`,
    );
    await this.store.count(
      this.options.account,
      'transaction told with another amount',
      known.reference,
    );
  }
}
