import { IsBoolean, IsOptional } from 'class-validator';
import { CreateIncomingPaymentDto } from '../resources/incoming-payments/create-incoming-payment.dto.js';
import { Satisfies } from '../resources/satisfies.decorator.js';

const MAX_KEY_LENGTH = 255;

/** A payment to ask for. Usable as the body of a host's own controller. @publicApi */
export class RequestPayment extends CreateIncomingPaymentDto {
  /**
   * Names this payment: an order number and attempt, or a UUID kept with the order. The same key never prompts twice:
   * with the same request it gives the same payment, with another one an error.
   */
  @Satisfies((value) =>
    typeof value === 'string' && value.trim() !== '' && value.length <= MAX_KEY_LENGTH
      ? null
      : `must be a text of 1 to ${MAX_KEY_LENGTH} characters, such as the order number`,
  )
  idempotencyKey: string;

  /** Ask although the same customer is being asked for the same amount at the same till. @default false */
  @IsOptional()
  @IsBoolean({ message: '$property must be true or false' })
  allowParallel?: boolean;

  /** Results of payments come to a URL of ours only: it is how a callback finds its payment. */
  @IsOptional()
  @Satisfies(() => 'cannot be given: results of a payment come to our own URL')
  declare callbackUrl?: never;
}
