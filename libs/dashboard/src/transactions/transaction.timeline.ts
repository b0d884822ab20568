import type { StoredEvent } from '@tillkit/payments/store';
import type { KnownMoney } from './known.money.js';
import { eventEntries, type TimelineEntry } from '../payments/payment.timeline.js';

/** What is known of the way of till money: since when we know it, and who heard. */
export function timelineOf(
  { createdAt, reversal }: KnownMoney,
  events: readonly StoredEvent[],
): TimelineEntry[] {
  const known: TimelineEntry = {
    at: createdAt,
    via: null,
    kind: 'recorded',
    title: 'Known here',
    detail: reversal ? 'reversed since' : null,
  };
  return [known, ...events.flatMap(eventEntries)].sort(
    (one, other) => one.at.getTime() - other.at.getTime(),
  );
}
