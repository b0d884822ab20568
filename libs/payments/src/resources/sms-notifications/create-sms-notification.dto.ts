import { IsOptional } from 'class-validator';
import { isIdentifier } from '../../values/identifier.js';
import { secureUrlProblem } from '../../values/secure-url.js';
import { filled, Satisfies } from '../satisfies.decorator.js';

/** An SMS to who paid a received transaction (spec 4.8). @publicApi */
export class CreateSmsNotificationDto {
  /** The `webhookEventId` of a `till.transaction.received`. */
  @Satisfies((value) =>
    isIdentifier(value) ? null : 'must be the id of a buygoods_transaction_received webhook event',
  )
  webhookEventReference: string;

  @Satisfies(filled)
  message: string;

  /** Where the result is posted. @default our own (signed) callback URL */
  @IsOptional()
  @Satisfies(secureUrlProblem)
  callbackUrl?: string;
}
