/** A number of 32 bits that depends on a text and a seed only: decisions drawn by name stay when other parts are dropped. */
export function hashOf(text: string, seed = 0): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** All chance of one part of a history (sfc32): the same seed draws the same numbers. */
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

  /** A number from 0 up to 1. */
  next(): number {
    const sum = (((this.a + this.b) | 0) + this.d) | 0;
    this.d = (this.d + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = ((this.c << 21) | (this.c >>> 11)) + sum;
    return (sum >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 up to a limit, which it never is. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** A whole number between two others, both included. */
  between(from: number, to: number): number {
    return from + this.below(to - from + 1);
  }

  /** A duration between two others, as often short as long: each power of ten is as likely as the next. */
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
