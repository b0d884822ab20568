import type { StoredEvent } from '@tillkit/payments/internal/store';
import { html, type Html } from '@tillkit/pages';
import { text } from '../html/text.fragment.js';
import { duration } from '../html/time.format.js';
import type { Visit } from '../web/visit.dto.js';
import { letterLink } from '../dead-letters/letter-link.format.js';
import { progressOf, type CallProgress, type ListenerCallOf } from './listeners.fragment.js';
import { WORDS } from '../words/english.words.js';

/** The listeners of one event are shown by the first of these states that any of them has. */
const WORST_FIRST: readonly CallProgress[] = ['dead', 'failing', 'running', 'waiting', 'done'];

/**
 * Says in one sentence whether the listeners of the host have completed the newest event of a payment or a transaction. Null when there is
 * no event.
 */
export function listenerSummary(visit: Visit, events: readonly StoredEvent[]): Html | null {
  const event = events.at(-1);
  if (!event) return null;
  const name = html`<span class="mono">${event.name}</span>`;
  if (event.calls.length === 0)
    return sentence('waiting', html`No listener is registered for ${name}.`);
  const [worst] = event.calls.toSorted((one, other) => rankOf(one) - rankOf(other));
  const call = worst as ListenerCallOf;
  const progress = progressOf(call);
  return sentence(
    progress,
    progress === 'done'
      ? completed(event, text(call.listener, 80), name)
      : html`${howMany(event, progress)} ${why(visit, call, progress)}`,
  );
}

function howMany({ calls }: StoredEvent, progress: CallProgress): string {
  const completed = calls.filter(({ state }) => state === 'done').length;
  if (completed > 0) return WORDS.listenerSummary.partly(completed, calls.length);
  return progress === 'dead' ? 'No listener completed.' : 'No listener has completed yet.';
}

function why(visit: Visit, call: ListenerCallOf, progress: Exclude<CallProgress, 'done'>): Html {
  const { times } = visit;
  const said = WORDS.listenerSummary.why[progress](text(call.listener, 80), call.attempts);
  switch (progress) {
    case 'dead':
      return html`${said} <a href="${letterLink(visit, call)}">${WORDS.payment.replay}</a>`;
    case 'failing':
      return html`${said} ${call.dueAt && WORDS.timeline.nextCall(times.show(call.dueAt))}`;
    case 'running':
    case 'waiting':
      return said;
  }
}

function completed(event: StoredEvent, listener: Html, name: Html): Html {
  const { listenerSummary: words } = WORDS;
  const ends = event.calls.flatMap(({ endedAt }) => endedAt?.getTime() ?? []);
  const after =
    ends.length > 0 ? duration(Math.max(...ends) - event.at.getTime()) : WORDS.timeline.atOnce;
  const count = event.calls.length;
  return count === 1
    ? html`The listener ${listener} completed ${after} after ${name}.`
    : words.all(count, after, name);
}

function rankOf(call: ListenerCallOf): number {
  return WORST_FIRST.indexOf(progressOf(call));
}

function sentence(progress: CallProgress, words: Html): Html {
  return html`<p class="listener-summary listener-summary--${progress}">${words}</p>`;
}
