import { describe, expect, it } from '@jest/globals';
import type { StoredHistoryEntry } from '@tillkit/payments';
import type { PaymentRecord, StoredEvent } from '@tillkit/payments/store';
import { ENGLISH } from '../words/english.words.js';
import { timelineOf as entriesOf, type TimelineEntry } from './payment-timeline.format.js';

const at = (second: number): Date => new Date(Date.UTC(2026, 10, 21, 14, 0, second));

/** The entries in English, with titles as text. */
function timelineOf(
  payment: PaymentRecord,
  history: readonly StoredHistoryEntry[],
  events: readonly StoredEvent[],
): (Omit<TimelineEntry, 'title'> & { title: string })[] {
  return entriesOf(ENGLISH, payment, history, events).map((entry) => ({
    ...entry,
    title: entry.title.toString().replace(/<[^>]+>/g, ''),
  }));
}

const PAYMENT = { createdAt: at(0) } as PaymentRecord;

function anEvent(call: Partial<StoredEvent['calls'][number]>): StoredEvent {
  return {
    id: 'e',
    name: 'payment.succeeded',
    stream: 'p',
    at: at(5),
    via: 'status',
    calls: [
      {
        id: 'c',
        listener: 'Orders.paid',
        state: 'pending',
        attempts: 0,
        lastError: null,
        endedAt: null,
        dueAt: null,
        ...call,
      },
    ],
  };
}

describe('The timeline of a payment', () => {
  it('has state changes, notes, events and listener calls, sorted by time, each with its source', () => {
    const entries = timelineOf(
      PAYMENT,
      [
        { at: at(1), via: 'request', what: 'state', detail: 'created to requested' },
        { at: at(5), via: 'status', what: 'state', detail: 'pending to succeeded' },
        { at: at(3), via: 'request', what: 'note', detail: 'no answer was recorded' },
        { at: at(9), via: 'webhook', what: 'state', detail: 'succeeded to tomorrow' },
      ],
      [anEvent({ state: 'done', attempts: 1, endedAt: at(7) })],
    );
    expect(entries.map(({ title, via }) => [title, via])).toEqual([
      ['Recorded', 'request'],
      ['Sending to the platform', 'request'],
      ['Note', 'request'],
      ['Paid', 'status'],
      ['Event payment.succeeded', 'status'],
      ['Orders.paid completed', null],
      ['Another state', 'webhook'],
    ]);
  });

  it('does not say that a payment was sent when every attempt to send it failed', () => {
    const entries = timelineOf(
      { ...PAYMENT, reason: 'not_sent' },
      [
        { at: at(1), via: 'request', what: 'state', detail: 'created to requested' },
        { at: at(2), via: 'request', what: 'attempt', detail: 'attempt 1, 12:00: refused' },
        { at: at(2), via: 'request', what: 'state', detail: 'requested to failed' },
      ],
      [],
    );
    expect(entries.map(({ title }) => title)).toEqual([
      'Recorded',
      'Sending to the platform',
      'Attempt to send failed',
      'Failed: not sent',
    ]);
  });

  it.each<[string, Parameters<typeof anEvent>[0], string, string]>([
    ['has not been called', {}, 'Orders.paid has not completed yet', 'not called yet'],
    ['is running', { attempts: 1 }, 'Orders.paid has not completed yet', 'attempt 1 is running'],
    [
      'will be called again',
      { attempts: 2, lastError: 'no' },
      'Orders.paid has not completed yet',
      '2 attempts so far, last error: no',
    ],
    [
      'completed at a later attempt',
      { state: 'done', attempts: 3, endedAt: at(8) },
      'Orders.paid completed',
      'after 3 attempts',
    ],
    [
      'became a dead letter',
      { state: 'dead', attempts: 12, lastError: 'no', endedAt: at(8) },
      'Orders.paid became a dead letter',
      'after 12 attempts: no',
    ],
  ])('shows a listener that %s', (_, call, title, detail) => {
    expect(timelineOf(PAYMENT, [], [anEvent(call)]).at(-1)).toMatchObject({ title, detail });
  });
});
