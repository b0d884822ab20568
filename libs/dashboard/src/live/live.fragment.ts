import { html, type Html } from '@tillkit/pages';
import type { Page, Section } from '../web/answer.dto.js';
import type { Visit } from '../web/visit.dto.js';

/** Pages of these sections do not change by themselves, or have charts that are drawn once. */
const STILL: ReadonlySet<Section> = new Set(['overview', 'reconciliation', 'sending', 'accounts']);

/** True when the page loads again after a change. The result of a form cannot, because its address belongs to another page. */
export function isLive(visit: Visit, { section, status = 200, isForm = false }: Page): boolean {
  const isResult = status !== 200 || visit.isSubmitted;
  return section !== null && !STILL.has(section) && !isForm && !isResult;
}

/** Shows whether a page is live. `assets/live.js` updates it, and reads from it what to watch. */
export function liveState(visit: Visit, { about }: Page): Html {
  return html`<p
    class="live"
    hidden
    data-live="${visit.link('live')}"
    data-version="${visit.liveVersion}"
    ${about !== undefined && html`data-about="${about}"`}
    data-on="Live"
    data-off="Not live, loading again failed"
    data-updated="The page has changed. From now on it shows changes by itself."
  >
    <span data-state></span><span class="visually-hidden" role="status"></span>
  </p>`;
}
