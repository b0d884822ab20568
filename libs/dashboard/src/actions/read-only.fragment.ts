import { html, type Html } from '@tillkit/pages';

/** The option that lets operators act. */
const OPTION = 'actionGuards';

/** In a dashboard that lets nobody act, this text stands in the place of the form. */
export function readOnly(): Html {
  return html`<p class="soft">
    These pages are read-only. Operators can act here when the dashboard has the option
    <span class="mono">${OPTION}</span>.
  </p>`;
}
