import type { OperationRecord } from '@tillkit/payments/store';
import { html, type Html } from '@tillkit/pages';
import { inAccount } from '../html/account.fragment.js';
import type { Visit } from '../web/visit.dto.js';

/**
 * What a person can do with an operation: its own actions, and to read its status now. Nothing in a dashboard that lets nobody act.
 * @param links links to the pages of its own actions
 */
export function operationActions(
  visit: Visit,
  { id, platformId }: OperationRecord,
  links: readonly (Html | null)[] = [],
): Html | null {
  if (!visit.mayAct) return null;
  const { operation } = visit.words;
  if (platformId === null && links.every((link) => link === null)) return null;
  return html`<div class="actions">
    ${links}
    ${
      platformId !== null &&
      html`<form method="post" action="${visit.link(`${pathOf(id)}/status`)}">
        <button class="quiet">${operation.readStatus}</button> ${inAccount(visit)}
      </form>`
    }
  </div>`;
}

/** Writes a note into the timeline that is above it. */
export function noteForm(visit: Visit, { id }: OperationRecord): Html | null {
  if (!visit.mayAct) return null;
  const { operation } = visit.words;
  return html`<form class="note" method="post" action="${visit.link(`${pathOf(id)}/note`)}">
    <div class="field">
      <label for="note">${operation.note}</label>
      <input id="note" name="note" required maxlength="500" autocomplete="off" />
    </div>
    <button class="quiet">${operation.writeNote}</button> ${inAccount(visit)}
  </form>`;
}

function pathOf(id: string): string {
  return `operations/${encodeURIComponent(id)}`;
}
