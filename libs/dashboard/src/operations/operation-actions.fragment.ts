import type { OperationRecord } from '@tillkit/payments/internal/store';
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
  if (platformId === null && links.every((link) => link === null)) return null;
  return html`<div class="actions">
    ${links}
    ${
      platformId !== null &&
      html`<form method="post" action="${visit.link(`${pathOf(id)}/status`)}">
        <button class="quiet">Read its status now</button> ${inAccount(visit)}
      </form>`
    }
  </div>`;
}

/** Writes a note into the timeline that is above it. */
export function noteForm(visit: Visit, { id }: OperationRecord): Html | null {
  if (!visit.mayAct) return null;
  return html`<form class="note" method="post" action="${visit.link(`${pathOf(id)}/note`)}">
    <div class="field">
      <label for="note">Note for the timeline</label>
      <input id="note" name="note" required maxlength="500" autocomplete="off" />
    </div>
    <button class="quiet">Write the note</button> ${inAccount(visit)}
  </form>`;
}

function pathOf(id: string): string {
  return `operations/${encodeURIComponent(id)}`;
}
