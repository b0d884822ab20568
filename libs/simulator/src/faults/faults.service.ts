import { InvalidInputError, UnknownFaultError } from '../simulator.errors.js';
import type { FaultSubject } from './fault.subject.js';
import { FAULTS, isFaultKind, type FaultKind, type FaultOptions } from './faults.constants.js';
import { checkFault } from './fault-parameters.constants.js';
import { SeededRandom } from './seeded-random.service.js';

/** How many one-time faults of a kind may be pending. */
const MOST_PENDING = 1_000;

/** The setting of one fault. */
export interface FaultSetting {
  readonly kind: FaultKind;
  readonly rate: number;
  readonly options: FaultOptions;
  readonly match: FaultSubject;
  /** How many one-time faults of this kind are still pending. */
  readonly once: number;
  /** How often this kind was injected. */
  readonly injected: number;
}

/** A fault to inject once, into the first match. */
interface OneTimeFault {
  readonly match: FaultSubject;
  readonly options: FaultOptions;
}

/** A fault to inject at a rate. */
interface RatedFault extends OneTimeFault {
  readonly rate: number;
  readonly random: SeededRandom;
}

/**
 * The faults of the simulator. It injects a fault once, or at a rate; each kind has its own seeded random stream.
 *
 * @publicApi
 */
export class Faults {
  private readonly rated = new Map<FaultKind, RatedFault>();
  private readonly oneTime = new Map<FaultKind, OneTimeFault[]>();
  private readonly streams = new Map<FaultKind, SeededRandom>();
  private readonly injected = new Map<FaultKind, number>();

  constructor(private readonly seed: number) {}

  /** Injects this fault with the given probability, from 0 (never) to 1 (always). */
  rate(kind: FaultKind, rate: number, options: FaultOptions & { match?: FaultSubject } = {}): void {
    this.assertKnown(kind);
    if (!(rate >= 0 && rate <= 1))
      throw new RangeError(`The rate of ${kind} must be from 0 to 1, not ${rate}.`);
    const { match = {}, ...faultOptions } = options;
    checkFault(faultOptions, match);
    if (rate === 0) this.rated.delete(kind);
    else this.rated.set(kind, { rate, match, options: faultOptions, random: this.stream(kind) });
  }

  /** Injects this fault once, into the next request or delivery that matches. */
  once(kind: FaultKind, match: FaultSubject = {}, options: FaultOptions = {}): void {
    this.assertKnown(kind);
    checkFault(options, match);
    const pending = this.oneTime.get(kind) ?? [];
    if (pending.length >= MOST_PENDING) {
      throw new InvalidInputError(
        `${kind} is pending ${MOST_PENDING} times already. Wait for requests that match, or clear the fault.`,
      );
    }
    pending.push({ match, options });
    this.oneTime.set(kind, pending);
  }

  /** Turns off one kind, or all of them. */
  clear(kind?: FaultKind): void {
    if (kind) {
      this.assertKnown(kind);
      this.rated.delete(kind);
      this.oneTime.delete(kind);
    } else {
      this.rated.clear();
      this.oneTime.clear();
    }
  }

  /** Every kind that is set or was injected before. */
  settings(): FaultSetting[] {
    const kinds = new Set([...this.rated.keys(), ...this.oneTime.keys(), ...this.injected.keys()]);
    return [...kinds].map((kind) => {
      const fault = this.rated.get(kind);
      return {
        kind,
        rate: fault?.rate ?? 0,
        options: { ...FAULTS[kind].defaults, ...fault?.options },
        match: fault?.match ?? {},
        once: this.oneTime.get(kind)?.length ?? 0,
        injected: this.injected.get(kind) ?? 0,
      };
    });
  }

  /** Decides whether to inject this fault now. @returns its options; null when it is not injected. */
  inject(kind: FaultKind, subject: FaultSubject): FaultOptions | null {
    if (this.rated.size === 0 && this.oneTime.size === 0) return null;
    const fault = this.takeOneTime(kind, subject) ?? this.drawRated(kind, subject);
    if (!fault) return null;
    this.injected.set(kind, (this.injected.get(kind) ?? 0) + 1);
    return { ...FAULTS[kind].defaults, ...fault.options };
  }

  /** A random number from the stream of this kind, for a fault that must choose. */
  choose(kind: FaultKind): number {
    return this.stream(kind).next();
  }

  private takeOneTime(kind: FaultKind, subject: FaultSubject): OneTimeFault | undefined {
    const pending = this.oneTime.get(kind);
    const index = pending?.findIndex((fault) => matches(fault.match, subject)) ?? -1;
    if (!pending || index < 0) return undefined;
    const [fault] = pending.splice(index, 1);
    if (pending.length === 0) this.oneTime.delete(kind);
    return fault;
  }

  private drawRated(kind: FaultKind, subject: FaultSubject): RatedFault | undefined {
    const fault = this.rated.get(kind);
    if (!fault || !matches(fault.match, subject)) return undefined;
    return fault.random.next() < fault.rate ? fault : undefined;
  }

  private stream(kind: FaultKind): SeededRandom {
    const known = this.streams.get(kind) ?? new SeededRandom(this.seed, kind);
    this.streams.set(kind, known);
    return known;
  }

  private assertKnown(kind: string): void {
    if (!isFaultKind(kind)) throw new UnknownFaultError(kind);
  }
}

function matches(match: FaultSubject, subject: FaultSubject): boolean {
  return Object.entries(match).every(
    ([part, wanted]) => wanted === undefined || subject[part as keyof FaultSubject] === wanted,
  );
}
