import { describe, expect, it } from '@jest/globals';
import { PlatformClock } from './platform-clock.js';

const AT = Date.UTC(2026, 0, 20, 12);

/** Returns a `Date` header of a platform whose clock is so many seconds ahead of ours. */
const ahead = (seconds: number): string => new Date(AT + seconds * 1_000).toUTCString();

describe("the platform's clock", () => {
  it('equals our clock until the platform has answered', () => {
    expect(new PlatformClock().offsetMs).toBe(0);
  });

  it('is known to half a second after one answer', () => {
    const clock = new PlatformClock();
    clock.observe(ahead(60), AT - 100, AT + 100);
    expect(clock.offsetMs).toBe(60_500);
    expect(clock.now().getTime() - Date.now()).toBeGreaterThan(60_000);
  });

  it.each([
    ['is garbage', 'yesterday'],
    ['is missing', undefined],
    ['comes several times', ['a', 'b']],
  ])('does not change when the Date header %s', (_, header) => {
    const clock = new PlatformClock();
    clock.observe(header, AT, AT);
    expect(clock.offsetMs).toBe(0);
  });

  it('is the median of the last nine answers, so that one wrong header does not change it', () => {
    const clock = new PlatformClock();
    for (let n = 0; n < 8; n += 1) clock.observe(ahead(10), AT, AT);
    clock.observe(ahead(86_400), AT, AT);
    expect(clock.offsetMs).toBe(10_500);
  });

  it('uses no answer that is older than the last nine', () => {
    const clock = new PlatformClock();
    for (let n = 0; n < 9; n += 1) clock.observe(ahead(-3_600), AT, AT);
    for (let n = 0; n < 9; n += 1) clock.observe(ahead(5), AT, AT);
    expect(clock.offsetMs).toBe(5_500);
  });
});
