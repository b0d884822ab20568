import type { StoredEvent } from '@tillkit/payments/store';
import type { TillTransaction } from './till-transaction.dto.js';
import { eventEntries, type TimelineEntry } from '../payments/payment-timeline.format.js';

/** The events and listener calls of a transaction, oldest first. */
export function timelineOf(
  { createdAt, reversal }: TillTransaction,
  events: readonly StoredEvent[],
): TimelineEntry[] {
  const recorded: TimelineEntry = {
    at: createdAt,
    via: null,
    kind: 'recorded',
    title: 'Recorded',
    detail: reversal ? 'reversed since' : null,
  };
  return [recorded, ...events.flatMap(eventEntries)].sort(
    (one, other) => one.at.getTime() - other.at.getTime(),
  );
}
