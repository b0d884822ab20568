import { html, type Html } from '@tillkit/pages';
import { percentage } from '../html/number.format.js';
import type { Words } from '../words/english.words.js';

/** How a value compares with the one of the time before: `▲ 12.0 %`. Null when there was nothing before. */
export function change(words: Words, now: number | bigint, before: number | bigint): Html | null {
  if (Number(before) === 0) return null;
  const percent = ((Number(now) - Number(before)) / Math.abs(Number(before))) * 100;
  const { up, down, same } = words.periods.change;
  if (Math.abs(percent) < 0.05) return html`<span class="soft">${same}</span>`;
  const size = percentage(words, Math.abs(percent));
  return html`<span class="soft change"
    ><span aria-hidden="true">${percent > 0 ? '▲' : '▼'} ${size}</span
    ><span class="visually-hidden">${percent > 0 ? up(size) : down(size)}</span></span
  >`;
}
