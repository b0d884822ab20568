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
import { form, type FormChoices, type FormField } from '../actions/form.fragment.js';
import { readOnly } from '../actions/read-only.fragment.js';
import type { Visit } from '../web/visit.dto.js';
import type { OperationKindName } from '../operations/operation-kinds.js';
import { WORDS } from '../words/english.words.js';

/** A person can choose one of these outcomes for an operation of each kind. */
export const OUTCOMES = {
  payment: ['succeeded', 'failed', 'reversed'],
  payment_link: ['succeeded', 'failed', 'reversed'],
  refund: ['succeeded', 'failed'],
  payout: ['succeeded', 'partially_succeeded', 'failed'],
} as const satisfies Record<OperationKindName, readonly string[]>;

export const REVIEW_FIELDS: readonly FormField[] = [
  { name: 'reference', label: 'Reference of the money, if it was paid', isOptional: true },
  { name: 'note', label: 'Reason for the decision', hint: 'it is on the statement' },
];

/** The platform may still report the outcome until this long after the request was sent. */
const UNDECIDED_MS = 15 * 60_000;

/** Returns the form for a person's decision on an operation that is in review, or that has had no outcome for long; null for other operations. */
export function review(visit: Visit, operation: OperationRecord): Html | null {
  if (!isInReview(operation) && !isUndecided(operation)) return null;
  return html`<section class="review" aria-labelledby="review">
    <h2 id="review">Decide</h2>
    ${visit.mayAct ? decisionForm(visit, operation) : readOnly()}
  </section>`;
}

/** A link without an outcome can still be paid, so a person cancels it instead. */
function isUndecided({ kind, state, sentAt }: OperationRecord): boolean {
  const isLate = sentAt !== null && Date.now() - sentAt.getTime() >= UNDECIDED_MS;
  return isOpen(state) && isLate && !(kind === 'payment_link' && state === 'pending');
}

function decisionForm(visit: Visit, operation: OperationRecord): Html {
  const { reference = '' } = operation.transaction ?? {};
  return form(
    visit,
    {
      action: visit.link(`operations/${encodeURIComponent(operation.id)}/review`),
      id: 'review',
      intro: `The library cannot decide from the evidence whether the money moved. Check the statement of the till. Your decision is final. The timeline records it with your name (${visit.operator}).`,
      choices: [
        { legend: 'Outcome', name: 'state', type: 'radio', choices: choices(operation) },
        isPayout(operation) ? paidDestinations(operation) : null,
      ],
      fields: REVIEW_FIELDS.filter(({ name }) => name === 'note' || operation.tills.length > 0),
      button: { label: 'Save the decision' },
    },
    { values: { reference: reference ?? '' } },
  );
}

/** Returns the outcomes of the form and their names. */
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

/** Lets a person choose the destinations of a payout that were paid; null when the payout has only one. */
function paidDestinations({ transfers }: PayoutRecord): FormChoices | null {
  if (transfers.length < 2) return null;
  const choices = transfers.map(
    (_, index) => [String(index), WORDS.review.destination(index + 1)] as const,
  );
  return { legend: 'If some were paid: which', name: 'paid', type: 'checkbox', choices };
}
