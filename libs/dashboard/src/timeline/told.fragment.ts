import type { StoredEvent } from '@tillkit/payments/store';
import { html, type Html } from '@tillkit/pages';
import { text } from '../html/text.fragment.js';
import { duration } from '../html/time.format.js';
import type { Visit } from '../web/visit.dto.js';
import { progressOf, type CallProgress, type ListenerCallOf } from './listeners.fragment.js';

/** The one that matters most stands for all. */
const WORST_FIRST: readonly CallProgress[] = ['dead', 'failing', 'running', 'waiting', 'done'];

/**
 * One sentence: whether the listeners of the host have completed the newest event of a payment or a transaction. Null when there is no event
 * to tell.
 */
export function told(visit: Visit, events: readonly StoredEvent[]): Html | null {
  const event = events.at(-1);
  if (!event) return null;
  const { told: words } = visit.words;
  const name = html`<span class="mono">${event.name}</span>`;
  if (event.calls.length === 0) return sentence('waiting', words.noListener(name));
  const [worst] = event.calls.toSorted((one, other) => rankOf(one) - rankOf(other));
  const call = worst as ListenerCallOf;
  const progress = progressOf(call);
  const listener = text(call.listener, 80);
  switch (progress) {
    case 'dead':
      return sentence(
        progress,
        html`${words.dead(listener)}
          <a href="${visit.link('dead-letters')}">${visit.words.payment.replay}</a>`,
      );
    case 'failing': {
      const next = call.dueAt && visit.words.timeline.nextCall(visit.times.show(call.dueAt));
      return sentence(progress, html`${words.failing(listener, call.attempts)} ${next}`);
    }
    case 'running':
      return sentence(progress, words.running(listener));
    case 'waiting':
      return sentence(progress, words.waiting(listener));
    case 'done':
      return sentence(progress, completed(visit, event, listener, name));
  }
}

function completed(visit: Visit, event: StoredEvent, listener: Html, name: Html): Html {
  const { told: words } = visit.words;
  const ends = event.calls.map(({ endedAt }) => endedAt?.getTime() ?? event.at.getTime());
  const after = duration(visit.words, Math.max(...ends) - event.at.getTime());
  const count = event.calls.length;
  return count === 1 ? words.one(listener, after, name) : words.all(count, after, name);
}

function rankOf(call: ListenerCallOf): number {
  return WORST_FIRST.indexOf(progressOf(call));
}

function sentence(progress: CallProgress, words: Html): Html {
  return html`<p class="told told--${progress}">${words}</p>`;
}
