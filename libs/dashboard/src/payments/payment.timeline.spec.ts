import { describe, expect, it } from '@jest/globals';
import type { PaymentRecord, StoredEvent } from '@tillkit/payments/store';
import { timelineOf } from './payment.timeline.js';

const at = (second: number): Date => new Date(Date.UTC(2026, 10, 21, 14, 0, second));

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
        ...call,
      },
    ],
  };
}

describe('a timeline', () => {
  it('has what was written and what was told in the order of time, each with its road', () => {
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
      ['Sent to the platform', 'request'],
      ['Note', 'request'],
      ['Paid', 'status'],
      ['Event payment.succeeded', 'status'],
      ['Orders.paid heard it', null],
      ['Another state', 'webhook'],
    ]);
  });

  it.each<[string, Parameters<typeof anEvent>[0], string, string]>([
    ['was not called yet', {}, 'Orders.paid is to hear it', 'not called yet'],
    ['is being called', { attempts: 1 }, 'Orders.paid is to hear it', 'attempt 1 is under way'],
    [
      'will be called again',
      { attempts: 2, lastError: 'no' },
      'Orders.paid is to hear it',
      '2 attempts so far, the last error: no',
    ],
    [
      'heard it late',
      { state: 'done', attempts: 3, endedAt: at(8) },
      'Orders.paid heard it',
      'after 3 attempts',
    ],
    [
      'was given up',
      { state: 'dead', attempts: 12, lastError: 'no', endedAt: at(8) },
      'Orders.paid was given up',
      'after 12 attempts: no',
    ],
  ])('says of a listener that it %s', (_, call, title, detail) => {
    expect(timelineOf(PAYMENT, [], [anEvent(call)]).at(-1)).toMatchObject({ title, detail });
  });
});
