import type { Call } from './host.model.js';
import type { CreateArrival, Money } from './platform.truth.js';
import type { SimulatedReplica } from './simulated.replica.js';
import type { World } from './simulated.world.js';

interface PaymentOfEvent {
  id: string;
  idempotencyKey: string;
  amount: { value: string };
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

/** The rules that hold at every step. */
export class AlwaysChecker {
  /** Ids of the events about one thing, by name and thing. */
  readonly eventIds = new Map<string, Set<string>>();
  /** Listener calls that ended well at least once: `listener eventId`. */
  readonly heardBy = new Map<string, number>();
  /** References whose reversal was emitted. */
  readonly reversalsEmitted = new Set<string>();
  /** Listener calls under way. */
  private readonly running = new Map<string, { replica: SimulatedReplica; at: number }>();
  private readonly completed = new Set<string>();
  private readonly callNames = new Map<string, string>();

  constructor(private readonly world: World) {}

  /** A process writes a create to the socket. */
  createSent(replica: SimulatedReplica, key: string): void {
    const { world } = this;
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
        'call taken twice',
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
    if (this.heardBy.has(name)) this.world.met('listener repeated');
  }

  listenerEnded(id: string, eventId: string): void {
    this.running.delete(`${id} ${eventId}`);
  }

  heard(id: string, event: string, eventId: string): void {
    if (!this.world.observer.events.has(eventId)) {
      this.world.violate('invented event', `${id} hears ${event} ${eventId}, which nobody wrote`);
    }
    const name = `${id} ${eventId}`;
    this.heardBy.set(name, (this.heardBy.get(name) ?? 0) + 1);
  }

  /** An event was committed that was not there before. */
  eventWritten({ id, name, payload }: EventWritten): void {
    const { world } = this;
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
      this.once(name, money.reference, id, Math.max(1, forms));
      if (Number(transaction.amount) !== Number(money.amount)) {
        world.violate(
          'amount',
          `${name} of ${money.reference} says ${transaction.amount}, it was ${money.amount}`,
        );
      }
      const { paymentId } = payload as { paymentId?: string | null };
      if (paymentId) this.tillEventOwner(name, money, paymentId);
      if (name === 'till.transaction.reversed') {
        this.reversalsEmitted.add(money.reference);
        if (money.reversedAt === null)
          world.violate('invented reversal', `${money.reference} was never reversed`);
      } else if (this.reversalsEmitted.has(money.reference) && payload['reversed'] !== true) {
        world.violate('reversal', `${money.reference} is emitted as received after its reversal`);
      }
    }
    this.bounded();
  }

  /** The money that a transaction of the library is about. */
  moneyOf({ reference }: { reference: string | null }): Money | null {
    return this.world.platform.moneys.find((money) => money.reference === reference) ?? null;
  }

  /** Whether somebody who sees only till, amount and phone could take this money for that of a key. */
  isIndistinguishable(money: Money, key: string): boolean {
    if (money.request !== null) return false;
    const record = this.world.observer.ofKey(key);
    return (
      record !== null &&
      record.state !== 'created' &&
      money.till.forms.includes(record.tillNumber) &&
      record.subscriber.phoneNumber === money.phone &&
      Number(record.amount.value) === Number(money.amount)
    );
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
    if (world.hosts.decided.has(payment.id)) return;
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
    if (this.reversalsEmitted.has(money.reference)) {
      world.violate('reversal', `${key} succeeded after the reversal of its money was emitted`);
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
