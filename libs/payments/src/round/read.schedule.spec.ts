import { describe, expect, it } from '@jest/globals';
import { nextReadMs } from './overdue-operations.js';
import { Runtime } from '../runtime/clock.js';

const SCHEDULE = [20, 45, 90, 3_600].map((seconds) => seconds * 1_000);

describe('the next read of a payment', () => {
  it.each([
    ['first', 0, 20_000],
    ['second, between two times since sending', 1, 25_000],
    ['third', 2, 45_000],
    ['fourth, when only the last wait is left', 3, 3_600_000],
    ['hundredth', 100, 3_600_000],
  ])('for the %s time is at about the time in the schedule', (_, checks, waitMs) => {
    for (let n = 0; n < 50; n += 1) {
      const ms = nextReadMs(SCHEDULE, checks, new Runtime());
      expect(ms).toBeGreaterThanOrEqual(waitMs * 0.8);
      expect(ms).toBeLessThanOrEqual(waitMs * 1.2);
    }
  });

  it('is never in the past, even if the schedule is not ascending', () => {
    expect(nextReadMs([100, 50, 10], 1, new Runtime())).toBe(0);
  });
});
