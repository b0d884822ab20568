import type { StoredEvent } from '@tillkit/payments/store';
import { html } from '@tillkit/pages';
import type { Words } from '../words/english.words.js';
import type { TillTransaction } from './till-transaction.dto.js';
import { eventEntries, type TimelineEntry } from '../payments/payment-timeline.format.js';

/** The events and listener calls of a transaction, oldest first. */
export function timelineOf(
  words: Words,
  { createdAt, reversal }: TillTransaction,
  events: readonly StoredEvent[],
): TimelineEntry[] {
  const recorded: TimelineEntry = {
    at: createdAt,
    via: null,
    kind: 'recorded',
    title: html`${words.timeline.recorded}`,
    detail: reversal ? words.timeline.reversedSince : null,
  };
  return [recorded, ...events.flatMap((event) => eventEntries(words, event))].sort(
    (one, other) => one.at.getTime() - other.at.getTime(),
  );
}
