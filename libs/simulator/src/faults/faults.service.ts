import { UnknownFaultError } from '../simulator.errors.js';
import { FAULTS, isFaultKind, type FaultKind, type FaultOptions } from './faults.constants.js';
import { SeededRandom } from './seeded-random.service.js';

/** What a fault applies to. A matcher has the properties that must be equal. */
export interface FaultSubject {
  /** The customer's phone number, `+254700000001`. */
  phone?: string;
  /** The platform's id of the payment. */
  paymentId?: string;
  /** Of requests: `incoming_payments`, `polling`, `transaction_sms_notifications` or `webhook_subscriptions`. */
  resource?: string;
  /** Of deliveries: `callback` or `webhook`. */
  delivery?: string;
  /** Of deliveries: the event type of a webhook, the type of a callback's resource. */
  topic?: string;
}

/** The setting of one fault. */
export interface FaultSetting {
  readonly kind: FaultKind;
  readonly rate: number;
  readonly options: FaultOptions;
  readonly match: FaultSubject;
  /** How many one-time faults of this kind are still pending. */
  readonly once: number;
  /** How often this kind was applied. */
  readonly struck: number;
}

interface Order {
  readonly match: FaultSubject;
  readonly options: FaultOptions;
}

interface Dial extends Order {
  readonly rate: number;
  readonly random: SeededRandom;
}

/**
 * The faults of the simulator. A fault happens at a rate, drawn from a seeded random stream per kind, or once.
 *
 * @publicApi
 */
export class Faults {
  private readonly dials = new Map<FaultKind, Dial>();
  private readonly orders = new Map<FaultKind, Order[]>();
  private readonly streams = new Map<FaultKind, SeededRandom>();
  private readonly struck = new Map<FaultKind, number>();

  constructor(private readonly seed: number) {}

  /** Makes this fault happen with the given probability, from 0 (never) to 1 (always). */
  rate(kind: FaultKind, rate: number, options: FaultOptions & { match?: FaultSubject } = {}): void {
    this.mustKnow(kind);
    if (!(rate >= 0 && rate <= 1))
      throw new RangeError(`The rate of ${kind} must be from 0 to 1, not ${rate}.`);
    const { match = {}, ...strength } = options;
    if (rate === 0) this.dials.delete(kind);
    else this.dials.set(kind, { rate, match, options: strength, random: this.stream(kind) });
  }

  /** Makes this fault happen once, to the next that matches. */
  once(kind: FaultKind, match: FaultSubject = {}, options: FaultOptions = {}): void {
    this.mustKnow(kind);
    const orders = this.orders.get(kind) ?? [];
    orders.push({ match, options });
    this.orders.set(kind, orders);
  }

  /** Turns off one kind, or all of them. */
  clear(kind?: FaultKind): void {
    if (kind) {
      this.mustKnow(kind);
      this.dials.delete(kind);
      this.orders.delete(kind);
    } else {
      this.dials.clear();
      this.orders.clear();
    }
  }

  /** Every kind that is set or was applied. */
  settings(): FaultSetting[] {
    const kinds = new Set([...this.dials.keys(), ...this.orders.keys(), ...this.struck.keys()]);
    return [...kinds].map((kind) => {
      const dial = this.dials.get(kind);
      return {
        kind,
        rate: dial?.rate ?? 0,
        options: { ...FAULTS[kind].defaults, ...dial?.options },
        match: dial?.match ?? {},
        once: this.orders.get(kind)?.length ?? 0,
        struck: this.struck.get(kind) ?? 0,
      };
    });
  }

  /** The options of this fault if it applies now, else null. */
  strike(kind: FaultKind, subject: FaultSubject): FaultOptions | null {
    if (this.dials.size === 0 && this.orders.size === 0) return null;
    const order = this.ordered(kind, subject) ?? this.drawn(kind, subject);
    if (!order) return null;
    this.struck.set(kind, (this.struck.get(kind) ?? 0) + 1);
    return { ...FAULTS[kind].defaults, ...order.options };
  }

  /** A number from the seeded stream of this kind, for what a fault has to choose. */
  choose(kind: FaultKind): number {
    return this.stream(kind).next();
  }

  private ordered(kind: FaultKind, subject: FaultSubject): Order | undefined {
    const orders = this.orders.get(kind);
    const index = orders?.findIndex((order) => matches(order.match, subject)) ?? -1;
    if (!orders || index < 0) return undefined;
    const [order] = orders.splice(index, 1);
    if (orders.length === 0) this.orders.delete(kind);
    return order;
  }

  private drawn(kind: FaultKind, subject: FaultSubject): Order | undefined {
    const dial = this.dials.get(kind);
    if (!dial || !matches(dial.match, subject)) return undefined;
    return dial.random.next() < dial.rate ? dial : undefined;
  }

  private stream(kind: FaultKind): SeededRandom {
    const known = this.streams.get(kind) ?? new SeededRandom(this.seed, kind);
    this.streams.set(kind, known);
    return known;
  }

  private mustKnow(kind: string): void {
    if (!isFaultKind(kind)) throw new UnknownFaultError(kind);
  }
}

function matches(match: FaultSubject, subject: FaultSubject): boolean {
  return Object.entries(match).every(
    ([part, wanted]) => wanted === undefined || subject[part as keyof FaultSubject] === wanted,
  );
}
