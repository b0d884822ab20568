import type { StoredEvent } from '@tillkit/payments/internal/store';
import { html, type Html } from '@tillkit/pages';
import { letterLink } from '../dead-letters/letter-link.format.js';
import { masked, text } from '../html/text.fragment.js';
import { duration } from '../html/time.format.js';
import type { Visit } from '../web/visit.dto.js';
import type { TimelineEntry } from './timeline.fragment.js';
import { WORDS } from '../words/english.words.js';

export type ListenerCallOf = StoredEvent['calls'][number];

/** The progress of a call. `failing` means that it waits after an attempt that failed. */
export type CallProgress = 'done' | 'dead' | 'failing' | 'running' | 'waiting';

export function progressOf({ state, attempts, lastError }: ListenerCallOf): CallProgress {
  if (state !== 'pending') return state;
  if (lastError !== null) return 'failing';
  // An attempt is counted when it begins, so an attempt without an error may still be running.
  return attempts > 0 ? 'running' : 'waiting';
}

/** Returns an event, with the calls of its listeners. */
export function eventEntry(visit: Visit, event: StoredEvent): TimelineEntry {
  const { timeline } = WORDS;
  const { at, via, name, calls } = event;
  const more = html`<ul class="calls">
    ${calls.map((call) => listener(visit, event, call))}
  </ul>`;
  return {
    at,
    via,
    kind: 'event',
    title: timeline.event(html`${name}`),
    detail: calls.length === 0 ? timeline.noListener : null,
    ...(calls.length > 0 && { more }),
  };
}

function listener(visit: Visit, event: StoredEvent, call: ListenerCallOf): Html {
  const progress = progressOf(call);
  return html`<li class="call call--${progress}">
    <span class="call__name">${titleOf(call)}</span>
    <span class="call__when">${whenOf(visit, event, call)}</span>
    <span class="call__detail">${masked(detailOf(call), 600)}</span>
    ${progress === 'dead' && html`<a href="${letterLink(visit, call)}">${WORDS.payment.replay}</a>`}
  </li>`;
}

function titleOf({ listener: name, state }: ListenerCallOf): Html {
  const shown = text(name);
  if (state === 'done') return WORDS.timeline.completed(shown);
  return state === 'dead' ? WORDS.timeline.becameDead(shown) : WORDS.timeline.notCompleted(shown);
}

/** Returns the time from the event to the end of a call, or the time of the next call. */
function whenOf({ times }: Visit, { at }: StoredEvent, call: ListenerCallOf): Html | string | null {
  const { endedAt, dueAt, state } = call;
  if (endedAt || state === 'done') {
    const after = endedAt ? duration(endedAt.getTime() - at.getTime()) : WORDS.timeline.atOnce;
    return WORDS.timeline.afterEvent(after);
  }
  return dueAt && progressOf(call) === 'failing'
    ? WORDS.timeline.nextCall(times.show(dueAt))
    : null;
}

function detailOf(call: ListenerCallOf): string {
  const { attempts, lastError } = call;
  switch (progressOf(call)) {
    case 'done':
      return WORDS.timeline.attempts(attempts);
    case 'dead':
      return lastError === null
        ? WORDS.timeline.attempts(attempts)
        : WORDS.timeline.attemptsWithError(attempts, lastError);
    case 'failing':
      return WORDS.timeline.failing(attempts, lastError ?? '');
    case 'running':
      return WORDS.timeline.running(attempts);
    case 'waiting':
      return WORDS.timeline.notCalled;
  }
}
