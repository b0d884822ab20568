import type { PaymentsAccount } from '@tillkit/payments';
import type { StoredEvent } from '@tillkit/payments/internal/store';
import { TimeFormat } from '../html/time.format.js';
import { Visit } from '../web/visit.dto.js';

/** A visit of a page, for tests of a timeline. */
export const VISIT = new Visit(
  { url: '/payments/p', headers: {} },
  {
    depth: 2,
    operator: 'Jane',
    mayAct: true,
    times: new TimeFormat('UTC'),
    ownZone: null,
  },
  { name: 'default' } as PaymentsAccount,
  false,
);

export const at = (second: number): Date => new Date(Date.UTC(2026, 10, 21, 14, 0, second));

/** Returns an event at second 5 with one listener. */
export function anEvent(...calls: readonly Partial<StoredEvent['calls'][number]>[]): StoredEvent {
  return {
    id: 'e',
    name: 'payment.succeeded',
    stream: 'p',
    at: at(5),
    via: 'status',
    calls: calls.map((call, index) => ({
      id: `c${index}`,
      listener: 'Orders.paid',
      state: 'pending',
      attempts: 0,
      lastError: null,
      endedAt: null,
      dueAt: null,
      ...call,
    })),
  };
}

export function textOf(html: { toString(): string } | null | undefined): string {
  return String(html ?? '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/ ([.:])/g, '$1')
    .trim();
}
