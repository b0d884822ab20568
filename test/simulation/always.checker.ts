import type { LedgerChange } from '../../libs/payments/src/store/ledger.store.js';
import { GuardChecker } from './guard.checker.js';
import { ListenersChecker } from './listeners.checker.js';
import { isPartly, TILLS, type Money } from './platform.truth.js';
import { ReportsChecker } from './reports.checker.js';
import { SendingChecker } from './sending.checker.js';
import type { ReplicaAccount } from './replica.account.js';
import type { Simulation } from './history.simulation.js';

interface PaymentOfEvent {
  id: string;
  idempotencyKey: string;
  amount: { value: string };
  causeDetail: string | null;
}

interface TransactionOfEvent {
  reference: string | null;
  amount: string | null;
  tillNumber: string | null;
}

interface EventWritten {
  id: string;
  name: string;
  payload: Record<string, unknown>;
}

/** More waiting steps or timers than this break the rule that work is bounded. */
const MAX_WAITING = 5_000;

/** The shorter lease of a payment, minus the time of a renewal. */
const PAYMENT_LEASE_MS = 14_000;

/** Checks the rules that hold after every step. */
export class AlwaysChecker {
  /** Event ids by event name and subject. */
  readonly eventIds = new Map<string, Set<string>>();
  /** Till number in the received event of each transaction, by the transaction's id. */
  readonly tillsEmitted = new Map<string, string>();
  /** Causes in emitted review events, by idempotency key. */
  readonly reviews = new Map<string, string[]>();
  /** The number of times that the result of each bare request was emitted, by platform id. */
  readonly bareResults = new Map<string, number>();
  /** Ids of transactions whose event was emitted while an alias joined both numbers of the till. */
  private readonly joined = new Set<string>();
  /** Current claims, by payment id. */
  private readonly claimed = new Map<string, { replica: ReplicaAccount; at: number }>();
  /** Till numbers in reversal events of each transaction, by the transaction's id. */
  private readonly reversedAt = new Map<string, Set<string>>();
  readonly sending: SendingChecker;
  readonly listeners: ListenersChecker;
  readonly guard: GuardChecker;
  readonly reports: ReportsChecker;

  constructor(private readonly simulation: Simulation) {
    this.sending = new SendingChecker(simulation);
    this.listeners = new ListenersChecker(simulation);
    this.guard = new GuardChecker(simulation);
    this.reports = new ReportsChecker(simulation);
  }

  /**
   * Two running processes never hold a claim on one payment.
   * @param at the latest time at which the leases can have begun
   */
  paymentsClaimed(replica: ReplicaAccount, ids: readonly string[], at: number): void {
    const { now } = this.simulation.scheduler;
    for (const id of ids) {
      const held = this.claimed.get(id);
      if (
        held &&
        held.replica !== replica &&
        held.replica.alive &&
        now - held.at < PAYMENT_LEASE_MS
      ) {
        this.simulation.violate(
          'payment claimed twice',
          `${replica.name} claims ${id}, which ${held.replica.name} holds under a lease`,
        );
      }
      this.claimed.set(id, { replica, at });
    }
  }

  paymentFreed(id: string): void {
    this.claimed.delete(id);
  }

  /** A payment that was certainly not sent never becomes `unknown`, and every review emits an event. */
  committed(
    change: LedgerChange,
    isKnown = (id: string) => this.simulation.observer.events.has(id),
  ): void {
    const { simulation } = this;
    const { operation: payment, history, events } = change;
    if (!payment) return;
    const existing = simulation.observer.operations.get(payment.id);
    const key = existing?.key;
    if (payment.set.state === 'unknown' && key !== undefined) {
      const gaveUp = history.some(
        ({ what, detail }) => what === 'note' && detail.startsWith('no answer was recorded'),
      );
      const sent = simulation.platform.arrivals.some(
        (arrival) => arrival.key === key && arrival.mayBeUnknown,
      );
      if (!gaveUp && !sent)
        simulation.violate('unknown without sending', `${key} was never sent and became unknown`);
    }
    if (payment.set.causeDetail) {
      // One transaction with one cause emits one event, even if a later report has another text.
      const before = this.reviews.get(key ?? '') ?? [];
      const reference = lastReference(payment.set.causeDetail);
      const emitted =
        events.some(({ name, id }) => name.endsWith('.needs_review') && !isKnown(id)) ||
        (reference !== null && before.some((detail) => detail.includes(reference)));
      if (!emitted)
        simulation.violate(
          'review not emitted',
          `${key}: "${payment.set.causeDetail}" was written without an event`,
        );
    }
  }

  died(): void {
    this.bounded();
  }

  /** The simulation calls this when a new event is committed. */
  eventWritten({ id, name, payload }: EventWritten): void {
    const { simulation } = this;
    const subject = subjectOf(payload);
    if (subject) this.listeners.eventWritten(id, name, subject.id);
    if (name === 'incoming-payment.completed') {
      const { id: own } = payload['incomingPayment'] as { id: string };
      this.bareResults.set(own, (this.bareResults.get(own) ?? 0) + 1);
    }
    if (subject && name.endsWith('.needs_review')) {
      const { idempotencyKey, causeDetail } = subject;
      // One transaction with one cause emits one event, whatever its source and text.
      const about = lastReference(causeDetail) ?? newestReason(causeDetail);
      const again = this.openedAgain(idempotencyKey);
      const cause = String(payload['cause']);
      const parts =
        cause === 'other_amount_reversed' ? this.partsOf(lastReference(causeDetail)) : 1;
      this.once(`${name} ${cause}`, `${idempotencyKey}: ${about}${again}`, id, parts);
      this.reports.reviewed(idempotencyKey, String(payload['cause']), lastReference(causeDetail));
      this.reviews.set(idempotencyKey, [
        ...(this.reviews.get(idempotencyKey) ?? []),
        causeDetail ?? '',
      ]);
    }
    if (subject && !name.endsWith('.needs_review')) {
      // A payout that was paid in part emits its event again when a person says that other destinations were paid.
      const most = name === 'payout.partially-succeeded' ? destinationsOf(payload) : 1;
      this.once(name, subject.idempotencyKey, id, most);
      if (name === 'payment.succeeded') this.succeeded(subject, payload);
    }
    if (name === 'till.transaction.received' || name === 'till.transaction.reversed') {
      const transaction = payload['transaction'] as TransactionOfEvent;
      const money = this.moneyOf(transaction);
      if (!money) {
        simulation.violate(
          'transaction never made',
          `${name} of ${transaction.reference}, which does not exist at the platform`,
        );
        return;
      }
      const forms = simulation.plan.settings.aliases === 'removed' ? money.formsShown.size : 1;
      this.once(name, money.id, id, this.joined.has(money.id) ? 1 : Math.max(1, forms));
      if (name === 'till.transaction.received')
        this.tillsEmitted.set(money.id, transaction.tillNumber ?? '');
      if (simulation.plan.settings.aliases === 'removed' && !simulation.aliasesWereRemoved)
        this.joined.add(money.id);
      const isReversal = name === 'till.transaction.reversed';
      if (!this.reports.mayNameAmount(money, transaction.amount, isReversal)) {
        simulation.violate(
          'other amount',
          `${name} of ${money.reference} says ${transaction.amount}, it was ${money.amount}`,
        );
      }
      const { paymentId, paymentLinkId } = payload as Record<string, string | null | undefined>;
      if (paymentId) this.tillEventOwner(name, money, paymentId);
      if (paymentLinkId) simulation.moneyOut.linkOfMoney(name, money, paymentLinkId);
      if (name === 'till.transaction.reversed') {
        const tills = this.reversedAt.get(money.id) ?? new Set();
        this.reversedAt.set(money.id, tills.add(transaction.tillNumber ?? ''));
        if (money.reversedAt === null)
          simulation.violate('reversal never made', `${money.reference} was never reversed`);
      } else if (
        payload['reversed'] !== true &&
        this.wasReversed(money, [transaction.tillNumber])
      ) {
        simulation.violate(
          'reversal ignored',
          `${money.reference} is emitted as received after its reversal event`,
        );
      }
    }
    this.bounded();
  }

  /** A person has decided money out in review before, so a contradiction of that decision is a new fact. */
  private openedAgain(key: string): string {
    const record = this.simulation.observer.operationOf(key);
    return record?.decided ? ` at version ${record.version}` : '';
  }

  /** Returns the money that a transaction of the library reports. */
  moneyOf({
    reference,
    tillNumber,
  }: Pick<TransactionOfEvent, 'reference' | 'tillNumber'>): Money | null {
    const found = this.simulation.platform.moneys.filter((money) => money.reference === reference);
    return found.find(({ till }) => till.forms.includes(tillNumber ?? '')) ?? found[0] ?? null;
  }

  /** True when till, amount and phone alone allow this money to belong to the payment of a key. */
  isIndistinguishable(money: Money, key: string): boolean {
    // A bare request may own the money as long as the store keeps it.
    const { request, link } = money;
    // Links stay possible owners as long as they are recorded.
    if (link) return false;
    const isDeleted =
      request?.key.startsWith('b') === true && !this.simulation.knowsBareRequest(request.id);
    // If a request has two transactions, the platform shows one at a time. The owner of the other one cannot be known.
    if (request !== null && !isDeleted && !this.hasOther(money) && !this.isWrong(money))
      return false;
    const record = this.simulation.observer.ofKey(key);
    return (
      record !== null &&
      record.state !== 'created' &&
      money.till.forms.includes(record.tillNumber) &&
      record.subscriber.phoneNumber === money.phone &&
      Number(record.amount.value) === Number(money.amount) &&
      // Money that came before the payment was sent is surely not its money. Both times are of the platform's clock, which we know to ten
      // seconds.
      record.sentAt !== null &&
      money.at + this.simulation.platform.offsetMs >= record.sentAt.getTime() - 11_000
    );
  }

  /** True when a person decided that the payment has another transaction, or none. */
  private isWrong({ request, reference }: Money): boolean {
    const owner = request && this.simulation.observer.ofKey(request.key);
    return owner?.decided === true && owner.transaction?.reference !== reference;
  }

  /** True when the replicas know that both numbers of the till of this money belong to one till. */
  isAtOneTill(money: Money): boolean {
    return this.simulation.plan.settings.aliases === 'always' || this.joined.has(money.id);
  }

  /** True when a reversal event was emitted for this money at one of these till numbers, or at a number of the same till. */
  private wasReversed(money: Money, tills: readonly (string | null)[]): boolean {
    const reversedAt = this.reversedAt.get(money.id);
    if (!reversedAt) return false;
    return this.isAtOneTill(money) || tills.some((till) => reversedAt.has(till ?? ''));
  }

  private hasOther({ request, id }: Money): boolean {
    return this.simulation.platform.moneys.some(
      (other) => other.request === request && other.id !== id,
    );
  }

  private succeeded(payment: PaymentOfEvent, payload: Record<string, unknown>): void {
    const { simulation } = this;
    const key = payment.idempotencyKey;
    const transaction = payload['transaction'] as TransactionOfEvent;
    const money = this.moneyOf(transaction);
    if (!money) {
      simulation.violate('transaction never made', `${key} succeeded by ${transaction.reference}`);
      return;
    }
    const record = simulation.observer.ofKey(key);
    const joined = record?.tills ?? [];
    // When another amount went back than the payment asked for, a person may say that the rest pays it.
    const isOther = Number(money.amount) !== Number(record?.amount.value);
    const isJudged = (isPartly(money) || isOther) && simulation.hosts.decided.has(payment.id);
    if (!isJudged && this.wasReversed(money, [transaction.tillNumber, ...joined]))
      simulation.violate(
        'reversal ignored',
        `${key} succeeded after the reversal of its money was emitted`,
      );
    if (simulation.hosts.decided.has(payment.id)) return;
    const asked = simulation.observer.ofKey(key)?.tillNumber ?? '';
    const till = transaction.tillNumber ?? '';
    const oneTill = TILLS.some(({ forms }) => forms.includes(asked) && forms.includes(till));
    if (till !== asked && (simulation.plan.settings.aliases === 'never' || !oneTill))
      simulation.violate(
        'other till',
        `${key} asked for till ${asked} and succeeded by money at ${till}`,
      );
    const own = money.request?.key === key;
    if (!own && !this.isIndistinguishable(money, key)) {
      const whose = money.request ? `of ${money.request.key}` : 'of no request';
      simulation.violate(
        'transaction of another payment',
        `${key} succeeded by ${money.reference}, which is money ${whose}`,
      );
    }
    if (Number(money.amount) !== Number(payment.amount.value)) {
      simulation.violate(
        'other amount',
        `${key} asked for ${payment.amount.value} and succeeded by ${money.amount}`,
      );
    }
  }

  private tillEventOwner(name: string, money: Money, paymentId: string): void {
    const { simulation } = this;
    const key = simulation.observer.payments.get(paymentId)?.key;
    if (simulation.hosts.decided.has(paymentId)) return;
    if (
      key === undefined ||
      (money.request?.key !== key && !this.isIndistinguishable(money, key))
    ) {
      simulation.violate(
        'transaction of another payment',
        `${name} of ${money.reference} names ${key}, but the money belongs to ${money.request?.key}`,
      );
    }
  }

  /** Money of which a part went back may be refunded. Then its second part is reported too. */
  private partsOf(reference: string | null): number {
    const { moneys, reversals } = this.simulation.platform;
    const money = moneys.find((each) => each.reference === reference);
    return money && isPartly(money) && reversals.hasMoved(money) ? 2 : 1;
  }

  private once(name: string, subject: string, id: string, most: number): void {
    const ids = this.eventIds.get(`${name} ${subject}`) ?? new Set();
    this.eventIds.set(`${name} ${subject}`, ids.add(id));
    if (ids.size > most) {
      this.simulation.violate(
        'duplicate event',
        `${name} of ${subject} was emitted under ${ids.size} event ids`,
      );
    }
  }

  private bounded(): void {
    const { scheduler } = this.simulation;
    if (scheduler.parked > MAX_WAITING || scheduler.timers > MAX_WAITING) {
      this.simulation.violate(
        'unbounded work',
        `${scheduler.parked} steps and ${scheduler.timers} timers wait`,
      );
    }
  }
}

/** Returns the operation that an event is about; null when it is about none. */
function subjectOf(payload: Record<string, unknown>): PaymentOfEvent | null {
  const subject = ['payment', 'payout', 'refund', 'paymentLink'].map((name) => payload[name]);
  return (subject.find((each) => each !== undefined) ?? null) as PaymentOfEvent | null;
}

/** Returns the reference in the newest cause of a review. */
function lastReference(detail: string | null): string | null {
  return [...newestReason(detail).matchAll(/\bR\d+[A-Z]\w*/g)].at(-1)?.[0] ?? null;
}

function newestReason(detail: string | null): string {
  return (detail ?? '').split('\n').at(-1) ?? '';
}

function destinationsOf(payload: Record<string, unknown>): number {
  return (payload['payout'] as { destinations: unknown[] }).destinations.length;
}
