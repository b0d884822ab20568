import {
  isInReview,
  isOpen,
  isPayout,
  mayChange,
  type OperationRecord,
  type OperationState,
  type PayoutRecord,
} from '@tillkit/payments/internal/store';
import { html, type Html } from '@tillkit/pages';
import { readOnly } from '../actions/read-only.fragment.js';
import { inAccount } from '../html/account.fragment.js';
import type { Visit } from '../web/visit.dto.js';
import type { OperationKindName } from '../operations/operation-kinds.js';
import { WORDS } from '../words/english.words.js';

/** What a person can decide about an operation of each kind. */
export const OUTCOMES = {
  payment: ['succeeded', 'failed', 'reversed'],
  payment_link: ['succeeded', 'failed', 'reversed'],
  refund: ['succeeded', 'failed'],
  payout: ['succeeded', 'partially_succeeded', 'failed'],
} as const satisfies Record<OperationKindName, readonly string[]>;

/** So long after it was sent the platform may still say what became of it. */
const UNDECIDED_MS = 15 * 60_000;

/** The form for a person's decision on an operation in review, or without an outcome for long; null for other operations. */
export function review(visit: Visit, operation: OperationRecord): Html | null {
  if (!isInReview(operation) && !isUndecided(operation)) return null;
  return html`<section class="review" aria-labelledby="review">
    <h2 id="review">Decide</h2>
    ${visit.mayAct ? form(visit, operation) : readOnly()}
  </section>`;
}

/** A link without an outcome can be paid: it is cancelled instead. */
function isUndecided({ kind, state, sentAt }: OperationRecord): boolean {
  const isLate = sentAt !== null && Date.now() - sentAt.getTime() >= UNDECIDED_MS;
  return isOpen(state) && isLate && !(kind === 'payment_link' && state === 'pending');
}

function form(visit: Visit, operation: OperationRecord): Html {
  const action = visit.link(`operations/${encodeURIComponent(operation.id)}/review`);
  return html`<p>
      The library cannot decide from the evidence whether the money moved. Check the statement of
      the till. Your decision is final. The timeline records it with your name (${visit.operator}).
    </p>
    <form method="post" action="${action}">
      <fieldset class="choices">
        <legend>Outcome</legend>
        ${choices(operation).map(
          ([outcome, name]) =>
            html`<label
              ><input type="radio" name="state" value="${outcome}" required />${name}</label
            >`,
        )}
      </fieldset>
      ${isPayout(operation) && paidDestinations(operation)}
      <div class="fields">
        ${
          operation.tills.length > 0 &&
          html`<div class="field">
            <label for="review-reference">Reference of the money, if it was paid</label>
            <input
              id="review-reference"
              name="reference"
              value="${operation.transaction?.reference ?? ''}"
              maxlength="200"
            />
          </div>`
        }
        <div class="field">
          <label for="review-note">Reason for the decision</label>
          <input
            id="review-note"
            name="note"
            required
            maxlength="500"
            placeholder="it is on the statement"
          />
        </div>
      </div>
      <p class="actions"><button>Save the decision</button> ${inAccount(visit)}</p>
    </form>`;
}

/** The outcomes of the form and their names. */
function choices({ kind, state }: OperationRecord): [string, string][] {
  const name = kind as OperationKindName;
  const names: Readonly<Record<string, string>> = WORDS.review.outcomesOf[name];
  return OUTCOMES[name]
    .filter((outcome: OperationState) => outcome === state || mayChange(state, outcome))
    .map((outcome) => [
      outcome,
      outcome === state ? WORDS.review.closes : (names[outcome] ?? outcome),
    ]);
}

/** Which destinations of a payout were paid, if some of them were. */
function paidDestinations({ transfers }: PayoutRecord): Html | null {
  if (transfers.length < 2) return null;
  return html`<fieldset class="choices">
    <legend>If some were paid: which</legend>
    ${transfers.map(
      (_, index) =>
        html`<label
          ><input
            type="checkbox"
            name="paid"
            value="${index}"
          />${WORDS.review.destination(index + 1)}</label
        >`,
    )}
  </fieldset>`;
}
