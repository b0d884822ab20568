import type { StoredHistoryEntry } from '@tillkit/payments/types';
import type { DeliverySummary } from '@tillkit/payments/internal/store';
import { html, type Html } from '@tillkit/pages';
import { masked } from '../html/text.fragment.js';
import type { Visit } from '../web/visit.dto.js';
import { changeOf } from './state-change.format.js';
import type { TimelineEntry } from './timeline.fragment.js';
import { WORDS } from '../words/english.words.js';

/** One commit stores a delivery and its change, and each takes its own time. The times differ when the machine is busy. */
const ONE_COMMIT_MS = 100;

/** Most deliveries of a timeline. A callback comes once or twice, but somebody may post many. */
export const MOST_DELIVERIES = 50;

/**
 * Returns the deliveries about an operation or a transaction, each with its verification, its outcome and the number of its repeats.
 * @param history the history of the operation, which says what its callback changed
 */
export function deliveryEntries(
  visit: Visit,
  deliveries: readonly DeliverySummary[],
  history: readonly StoredHistoryEntry[] = [],
): TimelineEntry[] {
  const { timeline } = WORDS;
  return deliveries.map((delivery) => {
    const { id, kind, receivedAt } = delivery;
    const change = changeBy(deliveries, delivery, history);
    const link = visit.link(`deliveries/${encodeURIComponent(id)}`);
    return {
      // A delivery stands before its change.
      at: change && change.at < receivedAt ? change.at : receivedAt,
      via: null,
      kind: 'delivery',
      title: html`<a href="${link}">${timeline.received[kind]}</a>`,
      detail: null,
      more: html`<ul class="notes">
        ${notesOf(delivery, change).map((note) => html`<li>${note}</li>`)}
      </ul>`,
    };
  });
}

function notesOf(
  { verifiedBy, state, attempts, duplicates, lastError }: DeliverySummary,
  change: StoredHistoryEntry | null,
): (Html | string)[] {
  const { timeline, delivery } = WORDS;
  const outcome =
    state === 'done' && attempts <= 1
      ? timeline.processing.doneAtOnce
      : timeline.processing[state](attempts);
  const led = change && changeOf(change.detail);
  return [
    delivery.verifiedBy[verifiedBy],
    led ? timeline.ledTo(led) : outcome,
    ...(led && attempts > 1 ? [outcome] : []),
    ...(duplicates > 0 ? [timeline.duplicates(duplicates)] : []),
    ...(lastError === null ? [] : [masked(lastError, 400)]),
  ];
}

/**
 * Returns the state change that a delivery led to. The history says that a callback changed the state, and not which callback. So we know it only
 * when just one callback had come by then.
 */
function changeBy(
  deliveries: readonly DeliverySummary[],
  { id, kind }: DeliverySummary,
  history: readonly StoredHistoryEntry[],
): StoredHistoryEntry | null {
  if (kind !== 'callback') return null;
  const change = history.findLast(({ via, what }) => via === 'callback' && what === 'state');
  if (!change) return null;
  const until = change.at.getTime() + ONE_COMMIT_MS;
  const before = deliveries.filter(
    (other) => other.kind === 'callback' && other.receivedAt.getTime() <= until,
  );
  return before.length === 1 && before[0]?.id === id ? change : null;
}
