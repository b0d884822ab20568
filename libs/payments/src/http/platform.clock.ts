import { Injectable } from '@nestjs/common';
import { Runtime } from '../runtime/runtime.js';

const SAMPLES = 9;

/**
 * The platform's clock, learnt from the `Date` header of its answers: the median offset of the last nine. Windows and
 * matching by time use it, so that a wrong clock on our side shifts nothing.
 */
@Injectable()
export class PlatformClock {
  private readonly offsets: number[] = [];

  constructor(private readonly runtime: Runtime = new Runtime()) {}

  /** Whether it has told its time yet. Until then, this machine's own clock stands for it, which may be wrong. */
  get isKnown(): boolean {
    return this.offsets.length > 0;
  }

  /** Milliseconds to add to our clock to have the platform's. */
  get offsetMs(): number {
    if (this.offsets.length === 0) return 0;
    const sorted = [...this.offsets].sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] as number;
  }

  now(): Date {
    return new Date(this.runtime.now() + this.offsetMs);
  }

  /** Takes the `Date` header of an answer that was under way from `sentAt` to `receivedAt` (our clock). */
  observe(dateHeader: unknown, sentAt: number, receivedAt: number): void {
    const theirs = typeof dateHeader === 'string' ? Date.parse(dateHeader) : Number.NaN;
    if (Number.isNaN(theirs)) return;
    // The header has whole seconds: half a second is its expected remainder.
    this.offsets.push(theirs + 500 - (sentAt + receivedAt) / 2);
    if (this.offsets.length > SAMPLES) this.offsets.shift();
  }
}
