import { IsBoolean, IsOptional } from 'class-validator';
import { CreateIncomingPaymentDto } from '../../platform/resources/incoming-payments/create-incoming-payment.dto.js';
import { idempotencyKeyProblem } from '../../ledger/idempotency-key.js';
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

  /** Whether to send the request although a payment of the same till, phone and amount is in flight. @default false */
  @IsOptional()
  @IsBoolean({ message: '$property must be true or false' })
  allowParallel?: boolean;

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
