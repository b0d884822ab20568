import { IsOptional } from 'class-validator';
import { isIdentifier } from '../../../money/identifier.js';
import { secureUrlProblem } from '../../../money/secure-url.js';
import { filled, Satisfies } from '../../../work/satisfies.decorator.js';

/**
 * An SMS to the customer who paid a received transaction.
 * @see docs/conformance.md#sms-notifications
 * @publicApi
 */
export class CreateSmsNotificationDto {
  /** The `webhookEventId` of a `till.transaction.received` event. */
  @Satisfies((value) =>
    isIdentifier(value) ? null : 'must be the id of a buygoods_transaction_received webhook event',
  )
  webhookEventReference: string;

  /** Text of the SMS. */
  @Satisfies(filled)
  message: string;

  /**
   * `https:` URL to which the platform posts the result. With another URL than the default we emit no event.
   * @default our callback URL
   */
  @IsOptional()
  @Satisfies(secureUrlProblem)
  callbackUrl?: string;
}
