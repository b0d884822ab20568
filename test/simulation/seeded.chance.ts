/** Returns a 32-bit hash of a text and a seed. A decision that is drawn by name stays the same when other parts are dropped. */
export function hashOf(text: string, seed = 0): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Seeded random numbers (sfc32). */
export class Chance {
  private a: number;
  private b: number;
  private c: number;
  private d = 1;

  constructor(seed: number) {
    this.a = seed | 0;
    this.b = Math.imul(seed, 0x9e3779b9) | 0;
    this.c = (seed ^ 0x5bd1e995) | 0;
    for (let round = 0; round < 8; round += 1) this.next();
  }

  /** Returns a number from 0 to 1, without 1. */
  next(): number {
    const sum = (((this.a + this.b) | 0) + this.d) | 0;
    this.d = (this.d + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = ((this.c << 21) | (this.c >>> 11)) + sum;
    return (sum >>> 0) / 2 ** 32;
  }

  /** Returns an integer from 0 to a limit, without the limit. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** Returns an integer between two others, both included. */
  between(from: number, to: number): number {
    return from + this.below(to - from + 1);
  }

  /** Returns a duration between two others, log-uniform: short and long ones are equally likely. */
  duration(from: number, to: number): number {
    return Math.round(from * (to / from) ** this.next());
  }

  happens(rate: number): boolean {
    return rate > 0 && this.next() < rate;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }
}
