import { html, type Html } from '@tillkit/pages';
import { percentage } from '../html/number.format.js';

/** Compares a value with the value of the time before: `▲ 12.0 %`. Null when there was nothing before. */
export function change(now: number | bigint, before: number | bigint): Html | null {
  if (Number(before) === 0) return null;
  const percent = ((Number(now) - Number(before)) / Math.abs(Number(before))) * 100;
  if (Math.abs(percent) < 0.05) return html`<span class="soft">as before</span>`;
  const size = percentage(Math.abs(percent));
  return html`<span class="soft change"
    ><span aria-hidden="true">${percent > 0 ? '▲' : '▼'} ${size}</span
    ><span class="visually-hidden"
      >${percent > 0 ? `${size} more than in the time before` : `${size} less than in the time before`}</span
    ></span
  >`;
}
