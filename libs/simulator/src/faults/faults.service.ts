import { InvalidInputError, UnknownFaultError } from '../simulator.errors.js';
import type { FaultSubject } from './fault-subject.js';
import { FAULTS, isFaultKind, type FaultKind, type FaultOptions } from './faults.constants.js';
import { checkFault } from './fault-parameters.constants.js';
import { SeededRandom } from './seeded-random.service.js';

/** This many one-time faults of a kind may be pending. */
const MOST_PENDING = 1_000;

/** Stands in the place of a merchant's name for all merchants. A name is never empty. */
const ALL = '';

/** A fault is injected at this rate, and as often as one-time faults are pending. */
export interface FaultSetting {
  readonly kind: FaultKind;
  readonly rate: number;
  readonly options: FaultOptions;
  readonly match: FaultSubject;
  /** The number of one-time faults of this kind that are still pending. */
  readonly once: number;
  /** The number of times that this kind was injected. */
  readonly injected: number;
}

/** Injects faults into the requests and deliveries of one merchant. */
export type FaultInjector = Pick<Faults, 'inject'>;

/** A fault to inject once, into the first match. */
interface OneTimeFault {
  readonly match: FaultSubject;
  readonly options: FaultOptions;
}

interface RatedFault extends OneTimeFault {
  readonly rate: number;
  readonly random: SeededRandom;
}

/**
 * The faults of the simulator. It injects a fault once, or at a rate; each kind has its own seeded random stream. A rate is for all
 * merchants, or for the one that `match.merchant` names; then that of the merchant is used instead of that for all.
 *
 * @publicApi
 */
export class Faults {
  /** The faults at a rate, each by the name of its merchant. */
  private readonly rated = new Map<FaultKind, Map<string, RatedFault>>();
  private readonly oneTime = new Map<FaultKind, OneTimeFault[]>();
  private readonly streams = new Map<string, SeededRandom>();
  private readonly injected = new Map<FaultKind, Map<string, number>>();

  constructor(private readonly seed: number) {}

  /** Injects this fault with the given probability, from 0 (never) to 1 (always). */
  rate(kind: FaultKind, rate: number, options: FaultOptions & { match?: FaultSubject } = {}): void {
    this.assertKnown(kind);
    if (!(rate >= 0 && rate <= 1))
      throw new RangeError(`The rate of ${kind} must be from 0 to 1, not ${rate}.`);
    const { match = {}, ...faultOptions } = options;
    checkFault(faultOptions, match);
    const { merchant = ALL } = match;
    const rated = this.rated.get(kind) ?? new Map<string, RatedFault>();
    if (rate === 0) rated.delete(merchant);
    else {
      const random = this.stream(kind, merchant);
      rated.set(merchant, { rate, match, options: faultOptions, random });
    }
    if (rated.size > 0) this.rated.set(kind, rated);
    else this.rated.delete(kind);
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

  /**
   * Turns off one kind, or all of them.
   * @param merchant turns off only the faults of this merchant; an empty name means only those for all merchants. @default both
   */
  clear(kind?: FaultKind, merchant?: string): void {
    if (kind) this.assertKnown(kind);
    const kinds = kind ? [kind] : [...new Set([...this.rated.keys(), ...this.oneTime.keys()])];
    for (const one of kinds) {
      if (merchant === undefined) {
        this.rated.delete(one);
        this.oneTime.delete(one);
      } else this.clearOf(one, merchant);
    }
  }

  /** Returns every kind that is set or was injected before. It has one entry for all merchants, and one for each merchant that it was set for. */
  settings(): FaultSetting[] {
    const kinds = new Set([...this.rated.keys(), ...this.oneTime.keys(), ...this.injected.keys()]);
    return [...kinds].flatMap((kind) => {
      const pending = this.oneTime.get(kind) ?? [];
      const merchants = new Set([
        ...(this.rated.get(kind)?.keys() ?? []),
        ...pending.map(merchantOf),
        ...(this.injected.get(kind)?.keys() ?? []),
      ]);
      return [...merchants].sort().map((merchant) => {
        const fault = this.rated.get(kind)?.get(merchant);
        return {
          kind,
          rate: fault?.rate ?? 0,
          options: { ...FAULTS[kind].defaults, ...fault?.options },
          match: fault?.match ?? (merchant === ALL ? {} : { merchant }),
          once: pending.filter((one) => merchantOf(one) === merchant).length,
          injected: this.injected.get(kind)?.get(merchant) ?? 0,
        };
      });
    });
  }

  /** Injects the same faults into the requests and deliveries of one merchant. */
  forMerchant(merchant: string): FaultInjector {
    return {
      inject: (kind, subject) =>
        this.isOff() ? null : this.inject(kind, { ...subject, merchant }),
    };
  }

  /** Decides whether to inject this fault now. @returns its options; null when it is not injected. */
  inject(kind: FaultKind, subject: FaultSubject): FaultOptions | null {
    if (this.isOff()) return null;
    const fault = this.takeOneTime(kind, subject) ?? this.drawRated(kind, subject);
    if (!fault) return null;
    const injected = this.injected.get(kind) ?? new Map<string, number>();
    injected.set(merchantOf(fault), (injected.get(merchantOf(fault)) ?? 0) + 1);
    this.injected.set(kind, injected);
    return { ...FAULTS[kind].defaults, ...fault.options };
  }

  /** Returns a random number from the stream of this kind, for a fault that must choose. */
  choose(kind: FaultKind): number {
    return this.stream(kind).next();
  }

  private clearOf(kind: FaultKind, merchant: string): void {
    const rated = this.rated.get(kind);
    rated?.delete(merchant);
    if (rated?.size === 0) this.rated.delete(kind);
    const pending = this.oneTime.get(kind)?.filter((fault) => merchantOf(fault) !== merchant) ?? [];
    if (pending.length > 0) this.oneTime.set(kind, pending);
    else this.oneTime.delete(kind);
  }

  private isOff(): boolean {
    return this.rated.size === 0 && this.oneTime.size === 0;
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
    const rated = this.rated.get(kind);
    const fault = rated?.get(subject.merchant ?? ALL) ?? rated?.get(ALL);
    if (!fault || !matches(fault.match, subject)) return undefined;
    return fault.random.next() < fault.rate ? fault : undefined;
  }

  private stream(kind: FaultKind, merchant = ALL): SeededRandom {
    const name = merchant === ALL ? kind : `${kind} ${merchant}`;
    const stream = this.streams.get(name) ?? new SeededRandom(this.seed, name);
    this.streams.set(name, stream);
    return stream;
  }

  private assertKnown(kind: string): void {
    if (!isFaultKind(kind)) throw new UnknownFaultError(kind);
  }
}

function merchantOf({ match }: OneTimeFault): string {
  return match.merchant ?? ALL;
}

function matches(match: FaultSubject, subject: FaultSubject): boolean {
  return Object.entries(match).every(
    ([part, wanted]) => wanted === undefined || subject[part as keyof FaultSubject] === wanted,
  );
}
