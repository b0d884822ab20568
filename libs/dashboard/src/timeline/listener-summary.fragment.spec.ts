import { describe, expect, it } from '@jest/globals';
import type { StoredEvent } from '@tillkit/payments/internal/store';
import { listenerSummary } from './listener-summary.fragment.js';
import { anEvent, at, textOf, VISIT } from '../testing/visit.fixture.js';

const DONE = { state: 'done', attempts: 1, endedAt: at(6) } as const;
const DEAD = { state: 'dead', attempts: 12, lastError: 'no', endedAt: at(9) } as const;
const FAILING = { attempts: 1, lastError: 'no', dueAt: at(30) } as const;

describe('The sentence about the listener calls of the newest event', () => {
  it.each<[string, Partial<StoredEvent['calls'][number]>[], string]>([
    [
      'one listener completed',
      [DONE],
      'The listener Orders.paid completed 1.0 s after payment.succeeded.',
    ],
    [
      'all listeners completed',
      [DONE, { ...DONE, endedAt: at(8) }],
      'All 2 listeners completed, the last 3.0 s after payment.succeeded.',
    ],
    [
      'one listener fails',
      [DONE, FAILING],
      '1 of 2 listeners completed. Orders.paid failed once. Next call: 21 Nov 2026, 14:00:30',
    ],
    [
      'one is a dead letter, whatever the others did',
      [DONE, FAILING, { ...DEAD, listener: 'Mail.<b>' }],
      '1 of 3 listeners completed. Mail.&lt;b&gt; failed at every attempt and is a dead letter. Replay the dead letter',
    ],
    [
      'the only listener is a dead letter',
      [DEAD],
      'No listener completed. Orders.paid failed at every attempt and is a dead letter. Replay the dead letter',
    ],
    [
      'a listener is running',
      [{ attempts: 1 }],
      'No listener has completed yet. Orders.paid is running.',
    ],
    [
      'a listener waits',
      [{}],
      'No listener has completed yet. Orders.paid waits for its first call.',
    ],
    ['there is no listener', [], 'No listener is registered for payment.succeeded.'],
  ])('says that %s', (_, calls, sentence) => {
    expect(textOf(listenerSummary(VISIT, [anEvent(DEAD), anEvent(...calls)]))).toBe(sentence);
  });

  it('is missing while there is no event', () => {
    expect(listenerSummary(VISIT, [])).toBeNull();
  });
});
