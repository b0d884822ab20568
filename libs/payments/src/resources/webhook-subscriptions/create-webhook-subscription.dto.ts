import { IsBoolean, IsIn, IsOptional, Matches } from 'class-validator';
import { secureUrlProblem } from '../../values/secure-url.js';
import { isTillNumber } from '../../values/till-number.js';
import { Satisfies } from '../satisfies.decorator.js';

const DARAJA_EVENT_TYPES = ['buygoods_transaction_received', 'b2b_transaction_received'];

/** A subscription to webhooks. @see docs/conformance.md#webhook-subscriptions @publicApi */
export class CreateWebhookSubscriptionDto {
  /** Event type in the platform's words, such as `buygoods_transaction_received`. */
  @Matches(/^[a-z0-9]+(_[a-z0-9]+)*$/, {
    message: '$property must be an event type such as buygoods_transaction_received',
  })
  eventType: string;

  /** Where webhooks are posted. @default our own (signed) webhook URL */
  @IsOptional()
  @Satisfies(secureUrlProblem)
  url?: string;

  @IsIn(['till', 'company'], { message: '$property must be till or company' })
  scope: 'till' | 'company';

  /** The till number for scope `till`; nothing for scope `company`. */
  @Satisfies((value, { scope }) => {
    if (scope === 'till')
      return isTillNumber(value) ? null : 'must be the till number, since scope is till';
    return value === undefined || value === null || value === ''
      ? null
      : 'must be left out, since scope is company';
  })
  scopeReference?: string | null;

  /** Ask for payloads of the Daraja shape; only for transactions received. */
  @IsOptional()
  @IsBoolean({ message: '$property must be true or false' })
  @Satisfies((value, { eventType }) =>
    value !== true || DARAJA_EVENT_TYPES.includes(String(eventType))
      ? null
      : `is only for ${DARAJA_EVENT_TYPES.join(' and ')}`,
  )
  enableDarajaPayload?: boolean;
}
