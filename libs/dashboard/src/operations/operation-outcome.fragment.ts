import type { OperationRecord } from '@tillkit/payments/internal/store';
import { html, type Html } from '@tillkit/pages';
import { text } from '../html/text.fragment.js';
import { WORDS } from '../words/english.words.js';
import { wordFor } from '../words/word.format.js';

/**
 * Returns the outcome in a list: what the operation waits for, the reference of its transaction, the reason of a failure, or the cause of a review.
 */
export function operationOutcome(
  { transaction, reason, cause }: OperationRecord,
  waitsFor: string | null = null,
): Html {
  const lines = [
    waitsFor && html`<span>${waitsFor}</span>`,
    transaction?.reference && html`<span class="mono">${text(transaction.reference, 40)}</span>`,
    reason && html`<span>${wordFor(WORDS.reasons, reason)}</span>`,
    cause && html`<span>${wordFor(WORDS.causes, cause)}</span>`,
  ].filter(Boolean);
  return html`${lines.map((line, index) => html`${index > 0 && html`<br />`}${line}`)}`;
}
