import type { Call } from './host.model.js';
import type { LedgerChange } from '../../libs/payments/src/ledger/ledger.store.js';
import type { PaymentRecord } from '../../libs/payments/src/operations/payments/payment.js';
import { TILLS, type CreateArrival, type Money } from './platform.truth.js';
import type { SimulatedReplica } from './simulated.replica.js';
import type { World } from './simulated.world.js';

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

/** Events of which a payment has one at most. */
const ONCE = new Set(['payment.succeeded', 'payment.failed', 'payment.reversed']);

/** More work waiting than this means that something is not bounded. */
const MOST_WAITING = 5_000;

/** A lease of 30 s that could not be renewed holds at least this long. */
const LEASE_HOLDS_MS = 15_000;

/** The default of `sendBeforeMs`, and a little for the answer of the store. */
const SEND_BEFORE_MS = 61_000;

/** No `Retry-After` lets a create be repeated sooner. */
const LEAST_WAIT_MS = 1_000;

/** The shorter lease of a payment, less what a renewal may take. */
const PAYMENT_LEASE_MS = 14_000;

const IN_FLIGHT = new Set(['created', 'requested', 'pending', 'unknown']);

/** The rules that hold at every step. */
export class AlwaysChecker {
  /** Ids of the events about one thing, by name and thing. */
  readonly eventIds = new Map<string, Set<string>>();
  /** Listener calls that ended well at least once: `listener eventId`. */
  readonly receivedBy = new Map<string, number>();
  /** Till numbers under which money was emitted, by its id. */
  readonly tillsEmitted = new Map<string, string>();
  /** Reasons of reviews that were emitted, by key. */
  readonly reviews = new Map<string, string[]>();
  /** How often the result of a request of the host's own was emitted, by the platform's id. */
  readonly bareResults = new Map<string, number>();
  /** Money that was emitted while both numbers of its till were joined, by id. */
  private readonly joined = new Set<string>();
  /** When the platform asked each process for peace, by key. */
  private readonly askedToWait = new Map<string, number>();
  /** Claims of payments that still hold, by payment. */
  private readonly claimed = new Map<string, { replica: SimulatedReplica; at: number }>();
  /** Till numbers at which the reversal of some money was emitted, by its id. */
  private readonly reversedAt = new Map<string, Set<string>>();
  /** Listener calls under way. */
  private readonly running = new Map<string, { replica: SimulatedReplica; at: number }>();
  private readonly completed = new Set<string>();
  /** Of events of payments: their payment, and their place among all that were written. */
  private readonly lines = new Map<string, { paymentId: string; place: number }>();
  /** The latest event that each listener was called for, by listener and payment. */
  private readonly latestCalled = new Map<string, number>();
  private readonly callNames = new Map<string, string>();

  constructor(private readonly world: World) {}

  /** A process writes a create to the socket. */
  createSent(replica: SimulatedReplica, key: string): void {
    const { world } = this;
    this.inTime(replica, key);
    const living = world.hosts.calls.filter(
      (call) => call.key === key && call.state === 'living' && call.replica === replica,
    );
    for (const call of living) if (living.length === 1) call.sent = true;
    const transaction = world.hosts.transactions.get(key);
    const asked = world.hosts.calls.some((call) => call.key === key);
    if (transaction && !(asked && transaction.state !== 'committed')) {
      if (transaction.state !== 'committed' && living.length === 0) {
        world.violate(
          'sent without a commit',
          `${replica.name} sends ${key}, whose host transaction is ${transaction.state}`,
        );
      }
      return;
    }
    if (living.length === 0) {
      const ended = world.hosts.calls.filter((call) => call.key === key).map(({ state }) => state);
      world.violate(
        'sent without a living request',
        `${replica.name} sends ${key} while no request() of it runs there (calls: ${ended.join(', ')})`,
      );
    }
  }

  /** Not after the time to send it, and not sooner than the platform asked for. */
  private inTime(replica: SimulatedReplica, key: string): void {
    const { world } = this;
    const { now } = world.scheduler;
    const record = world.observer.ofKey(key);
    if (record && now > record.createdAt.getTime() + SEND_BEFORE_MS) {
      world.violate(
        'sent late',
        `${replica.name} sends ${key} ${now - record.createdAt.getTime()} ms after it was recorded`,
      );
    }
    const asked = this.askedToWait.get(`${replica.name} ${key}`);
    if (asked !== undefined && now - asked < LEAST_WAIT_MS)
      world.violate(
        'impatient',
        `${replica.name} sends ${key} again ${now - asked} ms after a 429`,
      );
  }

  rateLimited(replica: SimulatedReplica, key: string): void {
    this.askedToWait.set(`${replica.name} ${key}`, this.world.scheduler.now);
  }

  /**
   * A payment that a living process has under a lease is not another's.
   * @param at when the leases began, or before
   */
  paymentsClaimed(replica: SimulatedReplica, ids: readonly string[], at: number): void {
    const { now } = this.world.scheduler;
    for (const id of ids) {
      const held = this.claimed.get(id);
      if (
        held &&
        held.replica !== replica &&
        held.replica.alive &&
        now - held.at < PAYMENT_LEASE_MS
      ) {
        this.world.violate(
          'payment claimed twice',
          `${replica.name} claims ${id}, which ${held.replica.name} has under its lease`,
        );
      }
      this.claimed.set(id, { replica, at });
    }
  }

  paymentFreed(id: string): void {
    this.claimed.delete(id);
  }

  /** A payment was recorded: none of the same customer, till and amount may be in flight. */
  paymentRecorded(payment: PaymentRecord): void {
    if (payment.allowParallel) return;
    for (const { record } of this.world.observer.payments.values()) {
      if (!record || record.id === payment.id || !IN_FLIGHT.has(record.state)) continue;
      if (record.windowSwept && record.state !== 'created' && record.state !== 'requested')
        continue;
      // What is recorded in an open transaction of the host is seen once that is committed: others may have come meanwhile.
      if (record.allowParallel && record.createdAt >= payment.createdAt) continue;
      const same =
        record.subscriber.phoneNumber === payment.subscriber.phoneNumber &&
        this.isOneTill(record.tillNumber, payment.tillNumber) &&
        record.amount.value === payment.amount.value;
      if (same) {
        this.world.violate(
          'parallel',
          `${payment.idempotencyKey} was recorded while ${record.idempotencyKey} is ${record.state}`,
        );
      }
    }
  }

  private isOneTill(one: string, other: string): boolean {
    if (one === other) return true;
    const areJoined = this.world.plan.settings.aliases === 'always';
    return areJoined && TILLS.some(({ forms }) => forms.includes(one) && forms.includes(other));
  }

  /** A payment keeps nobody from asking again any more: all money of its time must have been listed by then. */
  windowReleased({ idempotencyKey, sentAt }: PaymentRecord): void {
    const { world } = this;
    if (sentAt === null || world.platform.hasListed(sentAt.getTime())) return;
    world.violate(
      'released too soon',
      `${idempotencyKey} counts as unpaid, and not all money of its time was listed`,
    );
  }

  /** What was certainly not sent is not `unknown`; what goes to review is emitted. */
  committed(
    change: LedgerChange,
    isKnown = (id: string) => this.world.observer.events.has(id),
  ): void {
    const { world } = this;
    const { operation: payment, history, events } = change;
    if (!payment) return;
    const key = world.observer.payments.get(payment.id)?.key;
    if (payment.set.state === 'unknown' && key !== undefined) {
      const gaveUp = history.some(
        ({ what, detail }) => what === 'note' && detail.startsWith('no answer was recorded'),
      );
      const sent = world.platform.arrivals.some(
        (arrival) => arrival.key === key && arrival.couldCharge,
      );
      if (!gaveUp && !sent) world.violate('unknown', `${key} was never sent and became unknown`);
    }
    if (payment.set.causeDetail) {
      // The same transaction under the same cause is one event, whatever words the next report of it has.
      const before = this.reviews.get(key ?? '') ?? [];
      const reference = lastReference(payment.set.causeDetail);
      const emitted =
        events.some(({ name, id }) => name === 'payment.needs_review' && !isKnown(id)) ||
        (reference !== null && before.some((detail) => detail.includes(reference)));
      if (!emitted)
        world.violate(
          'review not emitted',
          `${key}: "${payment.set.causeDetail}" was written without an event`,
        );
    }
  }

  createArrived({ key }: CreateArrival): void {
    const { world } = this;
    const count = world.platform.arrivals.filter(
      (arrival) => arrival.key === key && arrival.couldCharge,
    ).length;
    if (count > 1) world.violate('two creates', `the platform got ${count} creates for key ${key}`);
  }

  /** An error after sending must say that nobody knows the outcome: else the host asks again with another key. */
  callFailed(call: Call, error: unknown): void {
    if (!call.sent || (error as { outcome?: unknown }).outcome === 'unknown') return;
    const { arrivals } = this.world.platform;
    if (arrivals.some(({ key, couldCharge }) => key === call.key && couldCharge)) {
      this.world.violate(
        'error after sending',
        `request() of ${call.key} threw ${String(error)} after its create was sent`,
      );
    }
  }

  died(_replica: SimulatedReplica): void {
    this.bounded();
  }

  callsClaimed(items: readonly { id: string; listener?: string; eventId?: string }[]): void {
    for (const { id, listener, eventId } of items) {
      if (listener && eventId) this.callNames.set(id, `${listener} ${eventId}`);
    }
  }

  callFinished(args: readonly unknown[], result: unknown): void {
    const [claim, outcome] = args as [{ id: string }, { kind?: string } | undefined];
    const name = this.callNames.get(claim.id);
    if (name && result === true && outcome?.kind === 'done') this.completed.add(name);
  }

  listenerCalled(replica: SimulatedReplica, id: string, event: string, eventId: string): void {
    const name = `${id} ${eventId}`;
    const { now } = this.world.scheduler;
    const other = this.running.get(name);
    if (
      other &&
      other.replica !== replica &&
      other.replica.alive &&
      now - other.at < LEASE_HOLDS_MS
    ) {
      this.world.violate(
        'call claimed twice',
        `${replica.name} calls ${id} for ${event} while ${other.replica.name} has it under its lease`,
      );
    }
    this.running.set(name, { replica, at: now });
    if (this.completed.has(name)) {
      this.world.violate(
        'completed call repeated',
        `${id} hears ${event} again after it was acknowledged`,
      );
    }
    if (this.receivedBy.has(name)) this.world.met('listener repeated');
    this.inOrder(id, event, eventId);
  }

  /** Events of one payment reach each listener in the order in which they were written. */
  private inOrder(listener: string, event: string, eventId: string): void {
    const line = this.lines.get(eventId);
    if (!line) return;
    const name = `${listener} ${line.paymentId}`;
    const latest = this.latestCalled.get(name) ?? 0;
    if (line.place < latest)
      this.world.violate('order', `${listener} is called for ${event} after a later event`);
    this.latestCalled.set(name, Math.max(latest, line.place));
  }

  listenerEnded(id: string, eventId: string): void {
    this.running.delete(`${id} ${eventId}`);
  }

  received(id: string, event: string, eventId: string): void {
    if (!this.world.observer.events.has(eventId)) {
      this.world.violate('invented event', `${id} hears ${event} ${eventId}, which nobody wrote`);
    }
    const name = `${id} ${eventId}`;
    this.receivedBy.set(name, (this.receivedBy.get(name) ?? 0) + 1);
  }

  /** An event was committed that was not there before. */
  eventWritten({ id, name, payload }: EventWritten): void {
    const { world } = this;
    if (name.startsWith('payment.')) {
      const { id: paymentId } = payload['payment'] as PaymentOfEvent;
      this.lines.set(id, { paymentId, place: this.lines.size + 1 });
    }
    if (name === 'incoming-payment.completed') {
      const { id: own } = payload['incomingPayment'] as { id: string };
      this.bareResults.set(own, (this.bareResults.get(own) ?? 0) + 1);
    }
    if (name === 'payment.needs_review') {
      const { idempotencyKey, causeDetail } = payload['payment'] as PaymentOfEvent;
      // One transaction under one cause is one event, by whatever road and in whatever words it comes.
      const about = lastReference(causeDetail) ?? newestReason(causeDetail);
      this.once(`${name} ${String(payload['cause'])}`, `${idempotencyKey}: ${about}`, id, 1);
      this.reviews.set(idempotencyKey, [
        ...(this.reviews.get(idempotencyKey) ?? []),
        causeDetail ?? '',
      ]);
    }
    if (ONCE.has(name)) {
      const payment = payload['payment'] as PaymentOfEvent;
      this.once(name, payment.idempotencyKey, id, 1);
      if (name === 'payment.succeeded') this.succeeded(payment, payload);
    }
    if (name === 'till.transaction.received' || name === 'till.transaction.reversed') {
      const transaction = payload['transaction'] as TransactionOfEvent;
      const money = this.moneyOf(transaction);
      if (!money) {
        world.violate(
          'invented money',
          `${name} of ${transaction.reference}, which the platform never had`,
        );
        return;
      }
      const forms = world.plan.settings.aliases === 'removed' ? money.formsShown.size : 1;
      this.once(name, money.id, id, this.joined.has(money.id) ? 1 : Math.max(1, forms));
      if (name === 'till.transaction.received')
        this.tillsEmitted.set(money.id, transaction.tillNumber ?? '');
      if (world.plan.settings.aliases === 'removed' && !world.aliasesWereRemoved)
        this.joined.add(money.id);
      if (Number(transaction.amount) !== Number(money.amount)) {
        world.violate(
          'amount',
          `${name} of ${money.reference} says ${transaction.amount}, it was ${money.amount}`,
        );
      }
      const { paymentId } = payload as { paymentId?: string | null };
      if (paymentId) this.tillEventOwner(name, money, paymentId);
      if (name === 'till.transaction.reversed') {
        const tills = this.reversedAt.get(money.id) ?? new Set();
        this.reversedAt.set(money.id, tills.add(transaction.tillNumber ?? ''));
        if (money.reversedAt === null)
          world.violate('invented reversal', `${money.reference} was never reversed`);
      } else if (payload['reversed'] !== true && this.wentBack(money, [transaction.tillNumber])) {
        world.violate('reversal', `${money.reference} is emitted as received after its reversal`);
      }
    }
    this.bounded();
  }

  /** The money that a transaction of the library is about. */
  moneyOf({
    reference,
    tillNumber,
  }: Pick<TransactionOfEvent, 'reference' | 'tillNumber'>): Money | null {
    const found = this.world.platform.moneys.filter((money) => money.reference === reference);
    return found.find(({ till }) => till.forms.includes(tillNumber ?? '')) ?? found[0] ?? null;
  }

  /** Whether somebody who sees only till, amount and phone could take this money for that of a key. */
  isIndistinguishable(money: Money, key: string): boolean {
    // A request of the host's own is a possible owner while it is remembered.
    const { request } = money;
    const isForgotten =
      request?.key.startsWith('b') === true && !this.world.remembersBare(request.id);
    // Of a request with two transactions the platform shows one at a time: nobody can know whose the other is.
    if (request !== null && !isForgotten && !this.hasOther(money) && !this.isWrong(money))
      return false;
    const record = this.world.observer.ofKey(key);
    return (
      record !== null &&
      record.state !== 'created' &&
      money.till.forms.includes(record.tillNumber) &&
      record.subscriber.phoneNumber === money.phone &&
      Number(record.amount.value) === Number(money.amount)
    );
  }

  /** Whether a person decided that its payment has other money, or none. */
  private isWrong({ request, reference }: Money): boolean {
    const owner = request && this.world.observer.ofKey(request.key);
    return owner?.decided === true && owner.transaction?.reference !== reference;
  }

  /** Whether the reversal of this money was emitted at one of these numbers, or at one that is known to be the same till. */
  private wentBack(money: Money, tills: readonly (string | null)[]): boolean {
    const reversedAt = this.reversedAt.get(money.id);
    if (!reversedAt) return false;
    const isOneTill = this.world.plan.settings.aliases === 'always' || this.joined.has(money.id);
    return isOneTill || tills.some((till) => reversedAt.has(till ?? ''));
  }

  private hasOther({ request, id }: Money): boolean {
    return this.world.platform.moneys.some((other) => other.request === request && other.id !== id);
  }

  private succeeded(payment: PaymentOfEvent, payload: Record<string, unknown>): void {
    const { world } = this;
    const key = payment.idempotencyKey;
    const transaction = payload['transaction'] as TransactionOfEvent;
    const money = this.moneyOf(transaction);
    if (!money) {
      world.violate('invented money', `${key} succeeded by ${transaction.reference}`);
      return;
    }
    const joined = world.observer.ofKey(key)?.tills ?? [];
    if (this.wentBack(money, [transaction.tillNumber, ...joined]))
      world.violate('reversal', `${key} succeeded after the reversal of its money was emitted`);
    if (world.hosts.decided.has(payment.id)) return;
    const asked = world.observer.ofKey(key)?.tillNumber ?? '';
    const till = transaction.tillNumber ?? '';
    const oneTill = TILLS.some(({ forms }) => forms.includes(asked) && forms.includes(till));
    if (till !== asked && (world.plan.settings.aliases === 'never' || !oneTill))
      world.violate('till', `${key} asked for till ${asked} and succeeded by money at ${till}`);
    const own = money.request?.key === key;
    if (!own && !this.isIndistinguishable(money, key)) {
      const whose = money.request ? `of ${money.request.key}` : 'of nobody';
      world.violate('wrong money', `${key} succeeded by ${money.reference}, the money ${whose}`);
    }
    if (Number(money.amount) !== Number(payment.amount.value)) {
      world.violate(
        'amount',
        `${key} asked for ${payment.amount.value} and succeeded by ${money.amount}`,
      );
    }
  }

  private tillEventOwner(name: string, money: Money, paymentId: string): void {
    const { world } = this;
    const key = world.observer.payments.get(paymentId)?.key;
    if (world.hosts.decided.has(paymentId)) return;
    if (
      key === undefined ||
      (money.request?.key !== key && !this.isIndistinguishable(money, key))
    ) {
      world.violate(
        'wrong money',
        `${name} of ${money.reference} names ${key}, it is of ${money.request?.key}`,
      );
    }
  }

  private once(name: string, subject: string, id: string, most: number): void {
    const ids = this.eventIds.get(`${name} ${subject}`) ?? new Set();
    this.eventIds.set(`${name} ${subject}`, ids.add(id));
    if (ids.size > most) {
      this.world.violate('event twice', `${name} of ${subject} under ${ids.size} event ids`);
    }
  }

  private bounded(): void {
    const { scheduler } = this.world;
    if (scheduler.parked > MOST_WAITING || scheduler.timers > MOST_WAITING) {
      this.world.violate(
        'bounded',
        `${scheduler.parked} steps and ${scheduler.timers} timers wait`,
      );
    }
  }
}

/** The transaction that the newest reason for a review is about. */
function lastReference(detail: string | null): string | null {
  return [...newestReason(detail).matchAll(/\bR\d+[A-Z]\w*/g)].at(-1)?.[0] ?? null;
}

function newestReason(detail: string | null): string {
  return (detail ?? '').split('\n').at(-1) ?? '';
}
