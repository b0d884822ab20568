import { maskPhones } from '@tillkit/payments/routes';
import { html, type Html } from '@tillkit/pages';
import type { Visit } from '../web/visit.dto.js';
import { source } from './state.fragment.js';
import { text } from './text.fragment.js';
import { duration } from './time.format.js';
import type { TimelineEntry } from '../payments/payment-timeline.format.js';

/**
 * A timeline, oldest entry first.
 * @param start when the payment or transaction was recorded; each entry shows the time since then
 */
export function timeline(visit: Visit, start: Date, entries: readonly TimelineEntry[]): Html {
  return html`<ol class="timeline">
    ${entries.map((entry) => item(visit, start, entry))}
  </ol>`;
}

function item(
  { words, times }: Visit,
  start: Date,
  { at, via, kind, title, detail }: TimelineEntry,
): Html {
  const after = at.getTime() - start.getTime();
  return html`<li class="step step--${kind}">
    <p class="step__title">
      ${via === null ? title : words.timeline.bySource(title, source(words, via))}
    </p>
    <p class="step__time">
      ${times.show(at)}
      <span class="soft"
        >${after > 0 && words.timeline.afterRecording(duration(words, after))}</span
      >
    </p>
    ${detail && html`<p class="step__detail">${text(maskPhones(detail), 600)}</p>`}
  </li>`;
}
