import { IsOptional } from 'class-validator';
import { idempotencyKeyProblem } from '../../ledger/request-names.js';
import { sendBeforeProblem } from '../../send/sending-time.js';
import { filled, Satisfies } from '../../work/satisfies.decorator.js';
import { metadataProblem, type Metadata } from '../../money/metadata.js';
import { tillNumberProblem } from '../../money/till-number.js';

/** What every refund has. @publicApi */
export interface RefundBase {
  /**
   * Identifies this refund, 1 to 255 characters. The same key never refunds twice. With the same request it returns the same refund;
   * with a different request it is an `IdempotencyConflictError`.
   */
  idempotencyKey: string;
  /** Why the money goes back. The platform requires it. */
  why: string;
  /** The host's own data, at most 5 keys. The platform sends it back with the result. */
  metadata?: Metadata;
  /** Name or id of the person who asks for it. It stays here: the platform does not get it. */
  requestedBy?: string;
  /**
   * Milliseconds in which this request may be sent; a longer time than `sending.sendBeforeMs` of the settings counts as that. While the platform is down,
   * `request()` takes so long; then the refund fails with reason `not_sent`. A repeat with another time is the same request.
   * @default `sending.sendBeforeMs`
   */
  sendBeforeMs?: number;
}

/** A refund of a payment of ours. @publicApi */
export interface RefundOfPayment extends RefundBase {
  /** Id of a payment that succeeded. The money of a payment link is named by the reference and till of its transaction. */
  paymentId: string;
  reference?: never;
  tillNumber?: never;
}

/** A refund of any money at a till, also of money that no payment of ours requested, or that came by a payment link. @publicApi */
export interface RefundOfTransaction extends RefundBase {
  /** Reference of the received transaction, in any case of letters. */
  reference: string;
  /** Till number at which it was received. */
  tillNumber: string;
  paymentId?: never;
}

/**
 * The input of `RefundsService.request()` and `record()`.
 * @example
 * const input: RequestRefund = { idempotencyKey: 'refund-order-1042', paymentId: payment.id, why: 'The goods are out of stock' };
 * @publicApi
 */
export type RequestRefund = RefundOfPayment | RefundOfTransaction;

type Given = { paymentId?: unknown };

const ofTransaction =
  (problem: (value: unknown) => string | null) =>
  (value: unknown, { paymentId }: Given): string | null => {
    if (paymentId === undefined) return problem(value);
    return value === undefined ? null : 'cannot be given together with paymentId';
  };

/** The rules of the fields of a request. */
export class RefundFields {
  @Satisfies(idempotencyKeyProblem)
  idempotencyKey: string;

  @Satisfies(filled)
  why: string;

  @IsOptional()
  @Satisfies(filled)
  paymentId?: string;

  @Satisfies(ofTransaction((value) => (filled(value, {}) ? 'or paymentId is missing' : null)))
  reference?: string;

  @Satisfies(ofTransaction(tillNumberProblem))
  tillNumber?: string;

  @IsOptional()
  @Satisfies(metadataProblem)
  metadata?: Metadata;

  @IsOptional()
  @Satisfies(filled)
  requestedBy?: string;

  @IsOptional()
  @Satisfies(sendBeforeProblem)
  sendBeforeMs?: number;
}
