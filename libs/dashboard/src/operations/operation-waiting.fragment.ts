import type { OperationRecord } from '@tillkit/payments/internal/store';
import { html, type Html } from '@tillkit/pages';
import type { Visit } from '../web/visit.dto.js';
import { WORDS } from '../words/english.words.js';

/**
 * Says why an operation is not finished yet, and when the library looks at it next. Null when it is finished, or when it waits for a
 * person.
 */
export async function operationWaiting(
  { account, times }: Visit,
  { id, state }: OperationRecord,
): Promise<Html | null> {
  const { next, ...reasons } = WORDS.waiting;
  if (!(state in reasons)) return null;
  const dueAt = await account.store.operations.dueAt(account.name, id);
  if (!dueAt) return null;
  const why = reasons[state as keyof typeof reasons];
  return html`<div class="outcome"><p>${why} ${next} ${times.show(dueAt)}.</p></div>`;
}
