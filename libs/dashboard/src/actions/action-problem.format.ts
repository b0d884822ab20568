import {
  AccountRemovedError,
  CircuitOpenError,
  IdempotencyConflictError,
  NotRefundableError,
  OperationNotCancellableError,
  OperationOutcomeUnknownError,
  PayoutInFlightError,
  PayoutLimitError,
  PayoutNotApprovableError,
  PlatformError,
  PlatformTimeoutError,
  PlatformUnreachableError,
  SendingPausedError,
} from '@tillkit/payments';
import { html, type Html } from '@tillkit/pages';
import { masked, text } from '../html/text.fragment.js';
import type { Visit } from '../web/visit.dto.js';

const PLATFORM_ERRORS = [
  PlatformError,
  PlatformTimeoutError,
  PlatformUnreachableError,
  CircuitOpenError,
];

/** Why the library did not do what an operator asked for. */
export interface ActionProblem {
  text: Html;
  /** Whether nobody knows if it was done: the same button may be used again, and no other. */
  isUnknown: boolean;
}

/** An error of the library in words for operators; null for errors that are no answer to what was asked. */
export function actionProblem(visit: Visit, error: unknown): ActionProblem | null {
  if (error instanceof OperationOutcomeUnknownError)
    return { text: html`${visit.words.actions.problems.outcomeUnknown}`, isUnknown: true };
  const said = refusal(visit, error);
  return said && { text: said, isUnknown: false };
}

function refusal(visit: Visit, error: unknown): Html | null {
  const { problems } = visit.words.actions;
  if (error instanceof NotRefundableError) {
    const { reason, refundId } = error;
    const link = refundId !== null && linkTo(visit, 'refunds', refundId);
    return html`${problems.notRefundable[reason]} ${link}`;
  }
  if (error instanceof PayoutInFlightError)
    return html`${problems.payoutInFlight} ${linkTo(visit, 'payouts', error.payoutId)}`;
  if (error instanceof PayoutLimitError) return problems.limit(text(error.message, 600));
  if (error instanceof PayoutNotApprovableError)
    return html`${problems.notApprovable[error.reason]}`;
  if (error instanceof OperationNotCancellableError) return html`${problems.notCancellable}`;
  if (error instanceof SendingPausedError)
    return problems.paused(text(error.by, 80), masked(error.note, 500));
  if (error instanceof AccountRemovedError) return html`${problems.removed}`;
  if (error instanceof IdempotencyConflictError) return html`${problems.usedForm}`;
  if (PLATFORM_ERRORS.some((type) => error instanceof type))
    return problems.platform(masked((error as Error).message, 600));
  return null;
}

function linkTo(visit: Visit, page: 'refunds' | 'payouts', id: string): Html {
  const link = visit.link(`${page}/${encodeURIComponent(id)}`);
  return html`<a href="${link}">${visit.words.actions.show}</a>`;
}

/** The problem above a form. */
export function problemBox(problem: Html | null): Html | null {
  return problem && html`<div class="outcome outcome--failed" role="alert"><p>${problem}</p></div>`;
}
