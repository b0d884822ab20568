import type { DeliverySummary, StoredEvent } from '@tillkit/payments/internal/store';
import { html } from '@tillkit/pages';
import { deliveryEntries } from '../timeline/delivery-entries.format.js';
import { eventEntry } from '../timeline/listeners.fragment.js';
import type { TimelineEntry } from '../timeline/timeline.fragment.js';
import type { Visit } from '../web/visit.dto.js';
import type { TillTransaction } from './till-transaction.dto.js';
import { WORDS } from '../words/english.words.js';

/** Returns the deliveries, events and listener calls of a transaction. */
export function timelineOf(
  visit: Visit,
  { createdAt, reversal }: TillTransaction,
  events: readonly StoredEvent[],
  deliveries: readonly DeliverySummary[],
): TimelineEntry[] {
  const { timeline } = WORDS;
  const recorded: TimelineEntry = {
    at: createdAt,
    via: null,
    kind: 'recorded',
    title: html`${timeline.recorded}`,
    detail: reversal ? timeline.reversedSince : null,
  };
  return [
    ...deliveryEntries(visit, deliveries),
    recorded,
    ...events.map((event) => eventEntry(visit, event)),
  ];
}
