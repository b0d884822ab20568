/** Pseudo-random numbers (Mulberry32): the same seed gives the same numbers. Not for secrets. */
export class SeededRandom {
  private state: number;

  constructor(seed: number, stream = '') {
    let state = seed >>> 0;
    for (const character of stream)
      state = Math.imul(state ^ character.codePointAt(0)!, 0x01000193);
    this.state = state >>> 0;
  }

  /** Returns the next number, from 0 up to but not including 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}
