import { isPayout, type OperationRecord, type PayoutRecord } from '@tillkit/payments/store';
import { html, type Html } from '@tillkit/pages';
import { readOnly } from '../actions/read-only.fragment.js';
import { inAccount } from '../html/account.fragment.js';
import type { Visit } from '../web/visit.dto.js';
import type { OperationKindName } from './operation.kinds.js';

/** What a person can decide about an operation of each kind. */
export const OUTCOMES = {
  payment: ['succeeded', 'failed', 'reversed'],
  payment_link: ['succeeded', 'failed', 'reversed'],
  refund: ['succeeded', 'failed'],
  payout: ['succeeded', 'partially_succeeded', 'failed'],
} as const satisfies Record<OperationKindName, readonly string[]>;

/** The form for a person's decision on an operation in review; null for other operations. */
export function review(visit: Visit, operation: OperationRecord): Html | null {
  if (operation.state !== 'needs_review') return null;
  const { review: texts } = visit.words;
  return html`<section class="review" aria-labelledby="review">
    <h2 id="review">${texts.title}</h2>
    ${visit.mayAct ? form(visit, operation) : readOnly(visit)}
  </section>`;
}

function form(visit: Visit, operation: OperationRecord): Html {
  const { review: texts } = visit.words;
  const action = visit.link(`operations/${encodeURIComponent(operation.id)}/review`);
  return html`<p>${texts.text(visit.operator)}</p>
    <form method="post" action="${action}">
      <fieldset class="choices">
        <legend>${texts.outcome}</legend>
        ${choices(visit, operation).map(
          ([outcome, name]) =>
            html`<label
              ><input type="radio" name="state" value="${outcome}" required />${name}</label
            >`,
        )}
      </fieldset>
      ${isPayout(operation) && paidDestinations(visit, operation)}
      <div class="fields">
        ${
          operation.tills.length > 0 &&
          html`<div class="field">
            <label for="review-reference">${texts.reference}</label>
            <input
              id="review-reference"
              name="reference"
              value="${operation.transaction?.reference ?? ''}"
              maxlength="200"
            />
          </div>`
        }
        <div class="field">
          <label for="review-note">${texts.note}</label>
          <input
            id="review-note"
            name="note"
            required
            maxlength="500"
            placeholder="${texts.noteHint}"
          />
        </div>
      </div>
      <p class="actions"><button>${texts.save}</button> ${inAccount(visit)}</p>
    </form>`;
}

/** The outcomes of the form and their names. */
function choices({ words: { review } }: Visit, { kind }: OperationRecord): [string, string][] {
  const name = kind as OperationKindName;
  const names: Readonly<Record<string, string>> = review.outcomesOf[name];
  return OUTCOMES[name].map((outcome) => [outcome, names[outcome] ?? outcome]);
}

/** Which destinations of a payout were paid, if some of them were. */
function paidDestinations({ words: { review } }: Visit, { transfers }: PayoutRecord): Html | null {
  if (transfers.length < 2) return null;
  return html`<fieldset class="choices">
    <legend>${review.paid}</legend>
    ${transfers.map(
      (_, index) =>
        html`<label
          ><input
            type="checkbox"
            name="paid"
            value="${index}"
          />${review.destination(index + 1)}</label
        >`,
    )}
  </fieldset>`;
}
