import { IsOptional } from 'class-validator';
import { besidesProblem, idempotencyKeyProblem, orderProblem } from '../../ledger/request-names.js';
import { sendBeforeProblem } from '../../send/sending-time.js';
import { CreatePaymentLinkDto } from '../../platform/resources/payment-links/create-payment-link.dto.js';
import { filled, Satisfies } from '../../work/satisfies.decorator.js';

/**
 * The input of `PaymentLinksService.request()` and `record()`.
 * @example
 * const input: RequestPaymentLink = {
 *   idempotencyKey: 'order-1042-link',
 *   amount: { currency: 'KES', value: '100.00' },
 *   paymentReference: 'order 1042',
 * };
 * @publicApi
 */
export class RequestPaymentLink extends CreatePaymentLinkDto {
  /**
   * Identifies this link, 1 to 255 characters. The same key never makes two links. With the same request it returns the same link;
   * with a different request it is an `IdempotencyConflictError`.
   */
  @Satisfies(idempotencyKeyProblem)
  idempotencyKey: string;

  /**
   * What is owed, 1 to 255 characters: the order number, never an attempt. An order is paid once: while a payment or a link of it has no outcome, another
   * key is refused (`PaymentInFlightError`), and after it was paid, too (`AlreadyPaidError`), whatever phone, amount or till it names. Money that went back
   * counts as not paid. Keep it free of personal data: it is not redacted.
   */
  @IsOptional()
  @Satisfies(orderProblem)
  order?: string;

  /**
   * Ids of operations that are in the way, and that this request passes: those that a `PaymentInFlightError` named, after the customer was asked.
   * Any other operation in the way still refuses it, and so does a named one that was paid meanwhile. A repeat with other ids is the same request.
   */
  @IsOptional()
  @Satisfies(besidesProblem)
  besides?: string[];

  /** Name or id of the person who asks for it. It stays here: the platform does not get it. */
  @IsOptional()
  @Satisfies(filled)
  requestedBy?: string;

  /**
   * Milliseconds in which this request may be sent; a longer time than `sending.sendBeforeMs` of the settings counts as that. While the platform is down,
   * `request()` takes so long; then the link fails with reason `not_sent`. A repeat with another time is the same request.
   * @default `sending.sendBeforeMs`
   */
  @IsOptional()
  @Satisfies(sendBeforeProblem)
  sendBeforeMs?: number;

  /** Not allowed: the callback must come to our own URL, which identifies the link. */
  @IsOptional()
  @Satisfies(() => 'cannot be given: results of a payment link come to our own URL')
  declare callbackUrl?: never;
}
