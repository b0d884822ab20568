import type { OperationRecord } from '@tillkit/payments/store';
import { html, type Html } from '@tillkit/pages';
import { inAccount } from '../html/account.fragment.js';
import type { Visit } from '../web/visit.dto.js';

/**
 * What a person can do with every operation: read its status now, and write a note. Nothing in a dashboard that lets nobody act.
 * @param links links to the pages of other actions
 */
export function operationActions(
  visit: Visit,
  { id, platformId }: OperationRecord,
  links: readonly (Html | null)[] = [],
): Html | null {
  if (!visit.mayAct) return null;
  const { operation } = visit.words;
  const path = `operations/${encodeURIComponent(id)}`;
  return html`<div class="actions">
      ${links}
      ${
        platformId !== null &&
        html`<form method="post" action="${visit.link(`${path}/status`)}">
          <button class="quiet">${operation.readStatus}</button> ${inAccount(visit)}
        </form>`
      }
    </div>
    <form class="filter filter--line" method="post" action="${visit.link(`${path}/note`)}">
      <div class="field">
        <label for="note">${operation.note}</label>
        <input id="note" name="note" required maxlength="500" autocomplete="off" />
      </div>
      <button class="quiet">${operation.writeNote}</button> ${inAccount(visit)}
    </form>`;
}
