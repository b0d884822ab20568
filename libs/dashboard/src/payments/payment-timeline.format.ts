import type { StoredHistoryEntry, Via } from '@tillkit/payments';
import type { PaymentRecord, StoredEvent } from '@tillkit/payments/store';

/** One entry of a timeline: a past change, event or listener call, or a listener call that is still due. */
export interface TimelineEntry {
  at: Date;
  via: Via | null;
  kind: 'recorded' | 'state' | 'attempt' | 'note' | 'event' | 'completed' | 'dead' | 'waiting';
  title: string;
  detail: string | null;
}

const TRANSITIONS: Readonly<Record<string, string>> = {
  'created to requested': 'Sending to the platform',
  'requested to pending': 'Accepted by the platform: the phone shows the prompt',
  'unknown to pending': 'Found at the platform',
  'requested to unknown': 'No usable response: the request may have arrived',
};

const OUTCOMES: Readonly<Record<string, string>> = {
  succeeded: 'Paid',
  failed: 'Failed',
  needs_review: 'Needs review',
  reversed: 'Reversed: the money went back',
};

/** The history, events and listener calls of a payment, oldest first. */
export function timelineOf(
  payment: PaymentRecord,
  history: readonly StoredHistoryEntry[],
  events: readonly StoredEvent[],
): TimelineEntry[] {
  const recorded: TimelineEntry = {
    at: payment.createdAt,
    via: 'request',
    kind: 'recorded',
    title: 'Recorded',
    detail: null,
  };
  const changes = history.map((entry) => historyEntry(entry, payment));
  const entries = [recorded, ...changes, ...events.flatMap(eventEntries)];
  // The sort is stable: of entries with the same time, the state change stays before its event.
  return entries.sort((one, other) => one.at.getTime() - other.at.getTime());
}

function historyEntry(
  { at, via, what, detail }: StoredHistoryEntry,
  { reason }: PaymentRecord,
): TimelineEntry {
  if (what === 'attempt') {
    return { at, via, kind: 'attempt', title: 'Attempt to send failed', detail };
  }
  if (what !== 'state') return { at, via, kind: 'note', title: 'Note', detail };
  const after = detail.slice(detail.lastIndexOf(' ') + 1);
  const outcome =
    after === 'failed' && reason === 'not_sent' ? 'Failed: not sent' : OUTCOMES[after];
  return {
    at,
    via,
    kind: 'state',
    title: TRANSITIONS[detail] ?? outcome ?? 'Another state',
    detail,
  };
}

export function eventEntries(event: StoredEvent): TimelineEntry[] {
  const emitted: TimelineEntry = {
    at: event.at,
    via: event.via,
    kind: 'event',
    title: `Event ${event.name}`,
    detail: event.calls.length === 0 ? 'no listener is registered for it' : null,
  };
  return [emitted, ...event.calls.map((call) => callEntry(event, call))];
}

function callEntry({ at }: StoredEvent, call: StoredEvent['calls'][number]): TimelineEntry {
  const { listener, state, attempts, lastError, endedAt } = call;
  const attemptsText = attempts === 1 ? 'at the first attempt' : `after ${attempts} attempts`;
  if (state === 'done') {
    return {
      at: endedAt ?? at,
      via: null,
      kind: 'completed',
      title: `${listener} completed`,
      detail: attemptsText,
    };
  }
  if (state === 'dead') {
    const title = `${listener} became a dead letter`;
    return {
      at: endedAt ?? at,
      via: null,
      kind: 'dead',
      title,
      detail: failing(attemptsText, lastError),
    };
  }
  const title = `${listener} has not completed yet`;
  return { at, via: null, kind: 'waiting', title, detail: waiting(attempts, lastError) };
}

/** An attempt counts from its beginning: an attempt without an error may still be running. */
function waiting(attempts: number, lastError: string | null): string {
  if (attempts === 0) return 'not called yet';
  return lastError === null
    ? `attempt ${attempts} is running`
    : `${attempts} attempts so far, last error: ${lastError}`;
}

function failing(attemptsText: string, error: string | null): string {
  return error === null ? attemptsText : `${attemptsText}: ${error}`;
}
