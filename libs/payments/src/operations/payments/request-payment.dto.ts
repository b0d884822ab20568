import { IsOptional } from 'class-validator';
import { CreateIncomingPaymentDto } from '../../platform/resources/incoming-payments/create-incoming-payment.dto.js';
import { besidesProblem, idempotencyKeyProblem, orderProblem } from '../../ledger/request-names.js';
import { sendBeforeProblem } from '../../send/sending-time.js';
import { Satisfies } from '../../work/satisfies.decorator.js';

/**
 * The input of `PaymentsService.request()` and `record()`. A host's own controller can use it as the type of its body.
 * @example
 * const input: RequestPayment = {
 *   idempotencyKey: 'order-1042-1',
 *   subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber: '+254700000001' },
 *   amount: { currency: 'KES', value: '100.00' },
 * };
 * @publicApi
 */
export class RequestPayment extends CreateIncomingPaymentDto {
  /**
   * Identifies this payment, 1 to 255 characters: an order number with an attempt, or a UUID that you store with the order. The
   * same key never prompts the customer twice. With the same request it returns the same payment; with a different request it is
   * an `IdempotencyConflictError`.
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

  /**
   * Milliseconds in which this request may be sent; a longer time than `sending.sendBeforeMs` of the settings counts as that. While the platform is down,
   * `request()` takes so long; then the payment fails with reason `not_sent`. A repeat with another time is the same request.
   * @default `sending.sendBeforeMs`
   */
  @IsOptional()
  @Satisfies(sendBeforeProblem)
  sendBeforeMs?: number;

  /** Not allowed: the callback must come to our own URL, which identifies the payment. */
  @IsOptional()
  @Satisfies(() => 'cannot be given: results of a payment come to our own URL')
  declare callbackUrl?: never;
}
