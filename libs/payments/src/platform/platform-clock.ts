import { Injectable } from '@nestjs/common';
import { TIME_TOLERANCE_MS } from '../money/timestamp.js';
import { AccountRegistry } from '../accounts/account-registry.js';
import { Runtime } from '../runtime/clock.js';

const SAMPLES = 9;

/** A `Date` header has whole seconds. */
const HEADER_ERROR_MS = 1_000;

/** A larger error is not believed: a clock that is read so badly says nothing. */
const LARGEST_ERROR_MS = 10_000;

/**
 * The platform's clock, from the `Date` headers of its answers: the median offset of the last nine. Sweep windows and the
 * matching of transactions use it, so that a wrong clock of our machine has no effect.
 */
export class PlatformClock {
  private readonly offsets: number[] = [];

  constructor(private readonly runtime: Runtime = new Runtime()) {}

  /** True when an answer had a `Date` header. Until then `now()` is the clock of this machine, which may be wrong. */
  get isKnown(): boolean {
    return this.offsets.length > 0;
  }

  /** Milliseconds to add to our clock to get the platform's clock. */
  get offsetMs(): number {
    if (this.offsets.length === 0) return 0;
    const sorted = [...this.offsets].sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] as number;
  }

  /** `now()` may be so many milliseconds from the platform's clock, as measured: at most ten seconds. */
  get errorMs(): number {
    const { offsetMs } = this;
    const apart = this.offsets.map((offset) => Math.abs(offset - offsetMs));
    return this.isKnown
      ? Math.min(LARGEST_ERROR_MS, Math.max(...apart) + HEADER_ERROR_MS)
      : LARGEST_ERROR_MS;
  }

  now(): Date {
    return new Date(this.runtime.now() + this.offsetMs);
  }

  /**
   * Notes the present moment, at which a read begins. The function that it returns says when that was, by all that is known of the
   * platform's clock when it is called: the answer to the read may be the first one that shows the clock.
   */
  moment(): () => { askedAt: Date; isDated: boolean } {
    const at = this.runtime.elapsed();
    return () => ({
      askedAt: new Date(this.now().getTime() - (this.runtime.elapsed() - at)),
      isDated: this.isKnown,
    });
  }

  /**
   * Returns the epoch milliseconds after which nothing can have happened that arrived so long ago: a later time is not read (see
   * `timestampOf`). Undefined while the clock is not known.
   */
  latestTime(arrivedAgoMs = 0): number | undefined {
    return this.isKnown ? this.now().getTime() - arrivedAgoMs + TIME_TOLERANCE_MS : undefined;
  }

  /** Learns from the `Date` header of an answer. `sentAt` and `receivedAt` are epoch milliseconds by our clock. */
  observe(dateHeader: unknown, sentAt: number, receivedAt: number): void {
    const theirs = typeof dateHeader === 'string' ? Date.parse(dateHeader) : Number.NaN;
    if (Number.isNaN(theirs)) return;
    // The header has whole seconds, so the real time is half a second later on average.
    this.offsets.push(theirs + 500 - (sentAt + receivedAt) / 2);
    if (this.offsets.length > SAMPLES) this.offsets.shift();
  }
}

/** The clock of the platform of each account. Accounts on one platform share it, so that a new one need not learn it. */
@Injectable()
export class PlatformClocks {
  /** The clocks by the origin that answered: a token host has a clock of its own. */
  private readonly clocks = new Map<string, PlatformClock>();

  constructor(
    private readonly runtime: Runtime,
    private readonly accounts: AccountRegistry,
  ) {}

  clock(account: string): PlatformClock {
    return this.at(this.accounts.settings(account).baseUrl);
  }

  at(origin: string): PlatformClock {
    const clock = this.clocks.get(origin) ?? new PlatformClock(this.runtime);
    this.clocks.set(origin, clock);
    return clock;
  }
}
