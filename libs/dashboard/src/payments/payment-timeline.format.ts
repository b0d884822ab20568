import type { StoredHistoryEntry } from '@tillkit/payments/types';
import type { DeliverySummary, Operation, StoredEvent } from '@tillkit/payments/internal/store';
import { html } from '@tillkit/pages';
import { deliveryEntries } from '../timeline/delivery-entries.format.js';
import { eventEntry } from '../timeline/listeners.fragment.js';
import { changeOf, statesOf } from '../timeline/state-change.format.js';
import type { TimelineEntry } from '../timeline/timeline.fragment.js';
import type { Visit } from '../web/visit.dto.js';
import { WORDS, type TimelineWords } from '../words/english.words.js';

/** The words of a state change, by the detail that the library stores for it. */
const TRANSITIONS: Readonly<
  Record<string, 'sending' | 'accepted' | 'found' | 'noResponse' | undefined>
> = {
  'created to requested': 'sending',
  'requested to pending': 'accepted',
  'unknown to pending': 'found',
  'requested to unknown': 'noResponse',
};

type Recorded = Pick<Operation, 'createdAt' | 'reason'>;

/** Returns the history, deliveries, events and listener calls of an operation. */
export function timelineOf(
  visit: Visit,
  payment: Recorded,
  history: readonly StoredHistoryEntry[],
  events: readonly StoredEvent[],
  deliveries: readonly DeliverySummary[],
  words: TimelineWords = WORDS.timeline,
): TimelineEntry[] {
  const recorded: TimelineEntry = {
    at: payment.createdAt,
    via: 'request',
    kind: 'recorded',
    title: html`${words.recorded}`,
    detail: null,
  };
  return [
    recorded,
    // A delivery stands before its change, also when both have the same time.
    ...deliveryEntries(visit, deliveries, history),
    ...history.map((entry) => historyEntry(words, entry, payment)),
    ...events.map((event) => eventEntry(visit, event)),
  ];
}

function historyEntry(
  words: TimelineWords,
  { at, via, what, detail }: StoredHistoryEntry,
  { reason }: Recorded,
): TimelineEntry {
  const { attemptFailed, note } = words;
  switch (what) {
    case 'attempt':
      return { at, via, kind: 'attempt', title: html`${attemptFailed}`, detail };
    case 'state':
      return { at, via, kind: 'state', ...stateChange(words, detail, reason) };
    default:
      return { at, via, kind: 'note', title: html`${note}`, detail };
  }
}

function stateChange(
  timeline: TimelineWords,
  detail: string,
  reason: Recorded['reason'],
): Pick<TimelineEntry, 'title' | 'detail' | 'after'> {
  const after = statesOf(detail)?.after ?? '';
  const transition = TRANSITIONS[detail];
  const outcomes: Readonly<Record<string, string>> = timeline.outcomes;
  const outcome = after === 'failed' && reason === 'not_sent' ? timeline.notSent : outcomes[after];
  const title = transition ? timeline[transition] : outcome;
  return {
    title: html`${title ?? timeline.anotherState}`,
    detail: changeOf(detail) ?? detail,
    after,
  };
}
