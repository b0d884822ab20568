import type { Via } from '@tillkit/payments/types';
import { html, type Html } from '@tillkit/pages';
import { source } from '../html/state.fragment.js';
import { masked } from '../html/text.fragment.js';
import { duration } from '../html/time.format.js';
import type { Visit } from '../web/visit.dto.js';
import { WORDS } from '../words/english.words.js';

/** One entry of a timeline: a past change, a delivery, an attempt, or an event with its listeners. */
export interface TimelineEntry {
  at: Date;
  via: Via | null;
  kind: 'recorded' | 'state' | 'attempt' | 'note' | 'event' | 'delivery';
  /** The state after a change. */
  after?: string;
  title: Html;
  /** A text from outside. */
  detail: string | null;
  /** This part stands below the detail. */
  more?: Html;
}

/**
 * Returns a timeline, with the oldest entry first.
 * @param start the time when the payment or transaction was recorded; each entry shows the time since then
 */
export function timeline(visit: Visit, start: Date, entries: readonly TimelineEntry[]): Html {
  // The sort is stable: of entries with the same time, the state change stays before its event.
  const sorted = entries.toSorted((one, other) => one.at.getTime() - other.at.getTime());
  return html`<ol class="timeline">
    ${sorted.map((entry) => item(visit, start, entry))}
  </ol>`;
}

function item(
  { times }: Visit,
  start: Date,
  { at, via, kind, after: state, title, detail, more }: TimelineEntry,
): Html {
  const after = at.getTime() - start.getTime();
  const tone = state === undefined ? '' : `step--${state}`;
  return html`<li class="step step--${kind} ${tone}">
    <p class="step__title">${via === null ? title : WORDS.timeline.bySource(title, source(via))}</p>
    <p class="step__time">
      ${times.show(at)}
      <span class="soft">${after > 0 && WORDS.timeline.afterRecording(duration(after))}</span>
    </p>
    ${detail && html`<p class="step__detail">${masked(detail, 600)}</p>`} ${more}
  </li>`;
}
