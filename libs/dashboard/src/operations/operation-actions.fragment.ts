import type { OperationRecord } from '@tillkit/payments/internal/store';
import { html, type Html } from '@tillkit/pages';
import { buttonForm, field, type FormField } from '../actions/form.fragment.js';
import { inAccount } from '../html/account.fragment.js';
import type { Visit } from '../web/visit.dto.js';

export const NOTE: FormField = { name: 'note', label: 'Note for the timeline' };

/**
 * Returns the actions of a person on an operation: those of its kind, and to read its status now. It is empty in a dashboard that lets nobody act.
 * @param links links to the pages of the actions of its kind
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
      buttonForm(visit, {
        action: visit.link(`${pathOf(id)}/status`),
        button: { label: 'Read its status now', look: 'quiet' },
      })
    }
  </div>`;
}

/** Returns a form that writes a note into the timeline above it. */
export function noteForm(visit: Visit, { id }: OperationRecord): Html | null {
  if (!visit.mayAct) return null;
  return html`<form class="note" method="post" action="${visit.link(`${pathOf(id)}/note`)}">
    ${field(NOTE, {})}
    <button class="quiet">Write the note</button> ${inAccount(visit)}
  </form>`;
}

function pathOf(id: string): string {
  return `operations/${encodeURIComponent(id)}`;
}
