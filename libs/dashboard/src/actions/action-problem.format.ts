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
import { WORDS } from '../words/english.words.js';

const PLATFORM_ERRORS = [
  PlatformError,
  PlatformTimeoutError,
  PlatformUnreachableError,
  CircuitOpenError,
];

/** The reason why the library did not do what an operator asked for. */
export interface ActionProblem {
  text: Html;
  /** True when nobody knows whether it was done. The operator may press the same button again, and no other. */
  isUnknown: boolean;
}

/** Puts an error of the library into words for operators; null for errors that do not answer the request. */
export function actionProblem(visit: Visit, error: unknown): ActionProblem | null {
  if (error instanceof OperationOutcomeUnknownError)
    return {
      text: html`The store did not answer in time, so nobody knows yet whether this was recorded. Do
      not begin again. Send this form once more: it acts once.`,
      isUnknown: true,
    };
  const said = refusal(visit, error);
  return said && { text: said, isUnknown: false };
}

function refusal(visit: Visit, error: unknown): Html | null {
  const { problems } = WORDS.actions;
  if (error instanceof NotRefundableError) {
    const { reason, refundId } = error;
    const link = refundId !== null && linkTo(visit, 'refunds', refundId);
    return html`${problems.notRefundable[reason]} ${link}`;
  }
  if (error instanceof PayoutInFlightError)
    return html`Another payout sends the same amount to one of these destinations. It has no outcome
    yet, or it was paid in the last 10 minutes. Nothing was sent.
    ${error.inTheWay.map(({ id }) => linkTo(visit, 'payouts', id))}`;
  if (error instanceof PayoutLimitError)
    return html`This payout is above a limit. ${text(error.message, 600)}`;
  if (error instanceof PayoutNotApprovableError)
    return html`${problems.notApprovable[error.reason]}`;
  if (error instanceof OperationNotCancellableError)
    return html`This link cannot be cancelled: nobody can pay it any more, or the platform has not
    given its id yet.`;
  if (error instanceof SendingPausedError)
    return html`Sending is paused by ${text(error.by, 80)}: ${masked(error.note, 500)}. Nothing was
    sent. Try again when it is resumed.`;
  if (error instanceof AccountRemovedError)
    return html`This account was removed, so it takes no new requests. Nothing was sent.`;
  if (error instanceof IdempotencyConflictError)
    return html`This form was used before, with other values. What it asked for then was done once;
    nothing more was sent. Open a new form.`;
  if (PLATFORM_ERRORS.some((type) => error instanceof type))
    return html`The platform gave no usable answer. ${masked((error as Error).message, 600)}`;
  return null;
}

function linkTo(visit: Visit, page: 'refunds' | 'payouts', id: string): Html {
  const link = visit.link(`${page}/${encodeURIComponent(id)}`);
  return html`<a href="${link}">Show it</a>`;
}

export function problemBox(problem: Html | null): Html | null {
  return problem && html`<div class="outcome outcome--failed" role="alert"><p>${problem}</p></div>`;
}
