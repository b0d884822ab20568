import { html, type Html } from '../html/html.template.js';
import { maskPhones } from '../html/phone.mask.js';
import { road } from '../html/state.fragment.js';
import { text } from '../html/text.fragment.js';
import { duration, type TimeFormat } from '../html/time.format.js';
import type { TimelineEntry } from './payment.timeline.js';

/** @param start when the payment was recorded: how long after it each thing happened is what operators ask for */
export function timeline(times: TimeFormat, start: Date, entries: readonly TimelineEntry[]): Html {
  return html`<ol class="timeline">
    ${entries.map((entry) => item(times, start, entry))}
  </ol>`;
}

function item(
  times: TimeFormat,
  start: Date,
  { at, via, kind, title, detail }: TimelineEntry,
): Html {
  const after = at.getTime() - start.getTime();
  return html`<li class="step step--${kind}">
    <p class="step__title">
      ${text(title)} ${via && html`<span class="soft">by</span> ${road(via)}`}
    </p>
    <p class="step__time">
      ${times.show(at)}
      <span class="soft">${after > 0 ? `${duration(after)} after recording` : ''}</span>
    </p>
    ${detail && html`<p class="step__detail">${text(maskPhones(detail), 600)}</p>`}
  </li>`;
}
