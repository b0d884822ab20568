import { describe, expect, it } from '@jest/globals';
import type { StoredHistoryEntry } from '@tillkit/payments/types';
import type { DeliverySummary, PaymentRecord, StoredEvent } from '@tillkit/payments/internal/store';
import { timeline } from '../timeline/timeline.fragment.js';
import { anEvent, at, textOf, VISIT } from '../testing/visit.fixture.js';
import { timelineOf } from './payment-timeline.format.js';

const PAYMENT = { createdAt: at(0) } as PaymentRecord;

const CALLBACK: DeliverySummary = {
  id: 'd',
  account: 'default',
  key: 'k',
  kind: 'callback',
  resource: 'incoming-payments',
  resourceId: 'p',
  verifiedBy: 'signature',
  state: 'done',
  attempts: 1,
  duplicates: 0,
  receivedAt: at(4),
  ageMs: 1,
  lastError: null,
  bytes: 100,
};

/** Returns the text of each entry, in the order of the page. */
function stepsOf(
  history: readonly StoredHistoryEntry[],
  events: readonly StoredEvent[] = [],
  deliveries: readonly DeliverySummary[] = [],
  payment = PAYMENT,
): string[] {
  const entries = timelineOf(VISIT, payment, history, events, deliveries);
  const [, ...steps] = timeline(VISIT, payment.createdAt, entries)
    .toString()
    .split('<li class="step');
  return steps.map((step) => textOf(step.slice(step.indexOf('>') + 1)));
}

describe('The timeline of a payment', () => {
  it('has deliveries, state changes, notes and events with their listeners, sorted by time', () => {
    const steps = stepsOf(
      [
        { at: at(1), via: 'request', what: 'state', detail: 'created to requested' },
        { at: at(5), via: 'status', what: 'state', detail: 'pending to succeeded' },
        { at: at(3), via: 'request', what: 'note', detail: 'no answer was recorded' },
        { at: at(9), via: 'webhook', what: 'state', detail: 'succeeded to tomorrow' },
      ],
      [anEvent({ state: 'done', attempts: 1, endedAt: at(7) })],
      [CALLBACK],
    );
    const begins = [
      'Recorded by request',
      'Sending to the platform by request',
      'Note by request',
      'Callback received',
      'Paid by status read',
      'Event payment.succeeded by status read',
      'Another state by webhook',
    ];
    expect(steps.map((step, index) => step.slice(0, begins[index]?.length))).toEqual(begins);
    expect(steps[5]).toContain('Orders.paid completed 2.0 s after the event at the first attempt');
  });

  it('does not say that a payment was sent when every attempt to send it failed', () => {
    const steps = stepsOf(
      [
        { at: at(1), via: 'request', what: 'state', detail: 'created to requested' },
        { at: at(2), via: 'request', what: 'attempt', detail: 'attempt 1, 12:00: refused' },
        { at: at(2), via: 'request', what: 'state', detail: 'requested to failed' },
      ],
      [],
      [],
      { ...PAYMENT, reason: 'not_sent' },
    );
    expect(steps.join('\n')).toMatch(
      /^Recorded.*\nSending to the platform.*\nAttempt to send failed.*\nFailed: not sent/,
    );
  });

  const SUCCESS = { at: at(5), via: 'callback', what: 'state', detail: 'pending to succeeded' };

  it.each<[string, Partial<DeliverySummary>, string]>([
    ['led to a change', {}, 'Signature verified Led to: pending to succeeded'],
    [
      'came again',
      { duplicates: 2 },
      'Signature verified Led to: pending to succeeded 2 duplicates',
    ],
    [
      'led to a change at a later attempt',
      { attempts: 3 },
      'Led to: pending to succeeded Processed after 3 attempts',
    ],
    [
      'changed nothing',
      { receivedAt: at(8), verifiedBy: 'url', lastError: 'a note of 0700 000 001' },
      'Signed URL verified Processed at the first attempt a note of',
    ],
    [
      'waits',
      { receivedAt: at(8), state: 'pending', attempts: 2, lastError: 'no connection' },
      'Waits to be processed, 2 attempts so far no connection',
    ],
    [
      'was not understood',
      { receivedAt: at(8), state: 'unrecognised', lastError: '<b>odd</b>' },
      'Not understood, after 1 attempt &lt;b&gt;odd',
    ],
  ])('shows a callback that %s', (_, changes, text) => {
    const steps = stepsOf([SUCCESS as StoredHistoryEntry], [], [{ ...CALLBACK, ...changes }]);
    const shown = steps.find((step) => step.startsWith('Callback received'));
    expect(shown).toContain(text);
    expect(shown).not.toContain('000 001');
  });

  it('does not guess which of two callbacks led to a change', () => {
    const two = [CALLBACK, { ...CALLBACK, id: 'other' }];
    const steps = stepsOf([SUCCESS as StoredHistoryEntry], [], two);
    expect(steps.join()).not.toContain('Led to');
  });

  it.each<[string, Partial<StoredEvent['calls'][number]>, string]>([
    ['has not been called', {}, 'Orders.paid has not completed yet not called yet'],
    ['is running', { attempts: 1 }, 'Orders.paid has not completed yet attempt 1 is running'],
    [
      'will be called again',
      { attempts: 2, lastError: 'no', dueAt: at(30) },
      'has not completed yet Next call: 21 Nov 2026, 14:00:30 2 attempts so far, last error: no',
    ],
    [
      'completed at a later attempt',
      { state: 'done', attempts: 3, endedAt: at(8) },
      'Orders.paid completed 3.0 s after the event after 3 attempts',
    ],
    [
      'became a dead letter',
      { state: 'dead', attempts: 12, lastError: 'no', endedAt: at(8) },
      'became a dead letter 3.0 s after the event after 12 attempts: no Replay the dead letter',
    ],
  ])('shows a listener that %s', (_, call, text) => {
    expect(stepsOf([], [anEvent(call)]).at(-1)).toContain(text);
  });

  it('says when no listener is registered for an event', () => {
    expect(stepsOf([], [anEvent()]).at(-1)).toContain('no listener is registered for it');
  });
});
