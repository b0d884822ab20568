import { describe, expect, it } from '@jest/globals';
import { SkippingRuntime } from '../testing/skipping.runtime.js';
import { FailedAttempts } from './retry.js';

describe('The failed attempts to send', () => {
  it.each<[number, readonly string[]]>([
    [0, []],
    [1, ['attempt 1, 2026-01-20T12:00:00.000Z: error 1']],
    [
      2,
      [
        'attempt 1, 2026-01-20T12:00:00.000Z: error 1',
        'attempt 2, 2026-01-20T12:00:01.000Z: error 2',
      ],
    ],
    [
      3_000,
      [
        'attempt 1, 2026-01-20T12:00:00.000Z: error 1',
        'attempts 2 to 3000, the last, 2026-01-20T12:49:59.000Z: error 3000',
      ],
    ],
  ])('are two lines at most after %d attempts', (count, lines) => {
    const runtime = new SkippingRuntime();
    const failures = new FailedAttempts(runtime);
    for (let attempt = 1; attempt <= count; attempt += 1) {
      failures.add(new Error(`error ${attempt}`));
      runtime.advance(1_000);
    }
    expect(failures.lines).toEqual(lines);
  });

  it('cut a long error', () => {
    const failures = new FailedAttempts(new SkippingRuntime());
    failures.add(new Error('x'.repeat(10_000)));
    expect(failures.lines.join().length).toBeLessThan(600);
  });
});
