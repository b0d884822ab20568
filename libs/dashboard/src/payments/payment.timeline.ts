import type { StoredHistoryEntry, Via } from '@tillkit/payments';
import type { PaymentRecord, StoredEvent } from '@tillkit/payments/store';

/** One thing that happened to a payment, or that is still to happen. */
export interface TimelineEntry {
  at: Date;
  via: Via | null;
  kind: 'recorded' | 'state' | 'note' | 'event' | 'heard' | 'dead' | 'waiting';
  title: string;
  detail: string | null;
}

const STEPS: Readonly<Record<string, string>> = {
  'created to requested': 'Sent to the platform',
  'requested to pending': 'Taken by the platform: the phone shows the prompt',
  'unknown to pending': 'Known to the platform after all',
  'requested to unknown': 'No usable answer: it may have been sent',
};

const ENDS: Readonly<Record<string, string>> = {
  succeeded: 'Paid',
  failed: 'Failed',
  needs_review: 'Needs a person',
  reversed: 'Reversed: the money went back',
};

/** Everything that is known of a payment's way, in the order in which it happened. */
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
  const entries = [recorded, ...history.map(historyEntry), ...events.flatMap(eventEntries)];
  // Sorting is stable: what one commit wrote stays in its order, the cause before the event.
  return entries.sort((one, other) => one.at.getTime() - other.at.getTime());
}

function historyEntry({ at, via, what, detail }: StoredHistoryEntry): TimelineEntry {
  if (what !== 'state') return { at, via, kind: 'note', title: 'Note', detail };
  const end = ENDS[detail.slice(detail.lastIndexOf(' ') + 1)];
  return { at, via, kind: 'state', title: STEPS[detail] ?? end ?? 'Another state', detail };
}

export function eventEntries(event: StoredEvent): TimelineEntry[] {
  const told: TimelineEntry = {
    at: event.at,
    via: event.via,
    kind: 'event',
    title: `Event ${event.name}`,
    detail: event.calls.length === 0 ? 'no listener is waiting for it' : null,
  };
  return [told, ...event.calls.map((call) => callEntry(event, call))];
}

function callEntry({ at }: StoredEvent, call: StoredEvent['calls'][number]): TimelineEntry {
  const { listener, state, attempts, lastError, endedAt } = call;
  const tries = attempts === 1 ? 'at the first attempt' : `after ${attempts} attempts`;
  if (state === 'done') {
    return {
      at: endedAt ?? at,
      via: null,
      kind: 'heard',
      title: `${listener} heard it`,
      detail: tries,
    };
  }
  if (state === 'dead') {
    const title = `${listener} was given up`;
    return { at: endedAt ?? at, via: null, kind: 'dead', title, detail: failing(tries, lastError) };
  }
  const title = `${listener} is to hear it`;
  return { at, via: null, kind: 'waiting', title, detail: waiting(attempts, lastError) };
}

/** Attempts are counted when they begin: one without an error may be under way. */
function waiting(attempts: number, lastError: string | null): string {
  if (attempts === 0) return 'not called yet';
  return lastError === null
    ? `attempt ${attempts} is under way`
    : `${attempts} attempts so far, the last error: ${lastError}`;
}

function failing(tries: string, error: string | null): string {
  return error === null ? tries : `${tries}: ${error}`;
}
