import { html, type Html } from '@tillkit/pages';
import type { Visit } from '../web/visit.dto.js';

/** The option that lets operators act. */
const OPTION = 'actionGuards';

/** Where an operator would act: what a dashboard that lets nobody act says instead of the form. */
export function readOnly({ words }: Visit): Html {
  return html`<p class="soft">
    ${words.actions.readOnly(html`<span class="mono">${OPTION}</span>`)}
  </p>`;
}
