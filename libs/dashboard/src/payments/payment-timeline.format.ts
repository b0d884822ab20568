import type { StoredHistoryEntry, Via } from '@tillkit/payments';
import type { PaymentRecord, StoredEvent } from '@tillkit/payments/store';
import { html, type Html } from '@tillkit/pages';
import { text } from '../html/text.fragment.js';
import type { Words } from '../words/english.words.js';
import { wordFor } from '../words/words.dto.js';

/** One entry of a timeline: a past change, event or listener call, or a listener call that is still due. */
export interface TimelineEntry {
  at: Date;
  via: Via | null;
  kind: 'recorded' | 'state' | 'attempt' | 'note' | 'event' | 'completed' | 'dead' | 'waiting';
  title: Html;
  detail: string | null;
}

/** What a state change means, by the detail that the library stores for it. */
const TRANSITIONS: Readonly<
  Record<string, 'sending' | 'accepted' | 'found' | 'noResponse' | undefined>
> = {
  'created to requested': 'sending',
  'requested to pending': 'accepted',
  'unknown to pending': 'found',
  'requested to unknown': 'noResponse',
};

const STATE_CHANGE = /^(\w+) to (\w+)$/;

/** The history, events and listener calls of a payment, oldest first. */
export function timelineOf(
  words: Words,
  payment: PaymentRecord,
  history: readonly StoredHistoryEntry[],
  events: readonly StoredEvent[],
): TimelineEntry[] {
  const recorded: TimelineEntry = {
    at: payment.createdAt,
    via: 'request',
    kind: 'recorded',
    title: html`${words.timeline.recorded}`,
    detail: null,
  };
  const changes = history.map((entry) => historyEntry(words, entry, payment));
  const entries = [recorded, ...changes, ...events.flatMap((event) => eventEntries(words, event))];
  // The sort is stable: of entries with the same time, the state change stays before its event.
  return entries.sort((one, other) => one.at.getTime() - other.at.getTime());
}

function historyEntry(
  words: Words,
  { at, via, what, detail }: StoredHistoryEntry,
  { reason }: PaymentRecord,
): TimelineEntry {
  const { attemptFailed, note } = words.timeline;
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
  { timeline, states }: Words,
  detail: string,
  reason: PaymentRecord['reason'],
): Pick<TimelineEntry, 'title' | 'detail'> {
  const [, before = '', after = ''] = STATE_CHANGE.exec(detail) ?? [];
  const transition = TRANSITIONS[detail];
  const outcomes: Readonly<Record<string, string>> = timeline.outcomes;
  const outcome = after === 'failed' && reason === 'not_sent' ? timeline.notSent : outcomes[after];
  const title = transition ? timeline[transition] : outcome;
  return {
    title: html`${title ?? timeline.anotherState}`,
    detail:
      after === '' ? detail : timeline.change(wordFor(states, before), wordFor(states, after)),
  };
}

export function eventEntries(words: Words, event: StoredEvent): TimelineEntry[] {
  const { timeline } = words;
  const emitted: TimelineEntry = {
    at: event.at,
    via: event.via,
    kind: 'event',
    title: timeline.event(html`${event.name}`),
    detail: event.calls.length === 0 ? timeline.noListener : null,
  };
  return [emitted, ...event.calls.map((call) => callEntry(words, event, call))];
}

function callEntry(
  { timeline }: Words,
  { at }: StoredEvent,
  call: StoredEvent['calls'][number],
): TimelineEntry {
  const { state, attempts, lastError, endedAt } = call;
  const listener = text(call.listener);
  const ended = { at: endedAt ?? at, via: null };
  switch (state) {
    case 'done': {
      const title = timeline.completed(listener);
      return { ...ended, kind: 'completed', title, detail: timeline.attempts(attempts) };
    }
    case 'dead': {
      const title = timeline.becameDead(listener);
      const detail =
        lastError === null
          ? timeline.attempts(attempts)
          : timeline.attemptsWithError(attempts, lastError);
      return { ...ended, kind: 'dead', title, detail };
    }
    case 'pending': {
      const title = timeline.notCompleted(listener);
      const detail = waiting(timeline, attempts, lastError);
      return { at, via: null, kind: 'waiting', title, detail };
    }
  }
}

/** An attempt counts from its beginning: an attempt without an error may still be running. */
function waiting(
  { notCalled, running, failing }: Words['timeline'],
  attempts: number,
  lastError: string | null,
): string {
  if (attempts === 0) return notCalled;
  return lastError === null ? running(attempts) : failing(attempts, lastError);
}
