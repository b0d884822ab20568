import { IsBoolean, IsOptional, Matches } from 'class-validator';
import { secureUrlProblem } from '../../../money/secure-url.js';
import { isTillNumber } from '../../../money/till-number.js';
import { Satisfies } from '../../../work/satisfies.decorator.js';
import {
  DARAJA_TOPICS,
  scopesOf,
  type SubscriptionScope,
  type WebhookTopic,
} from '../../../money/webhook-topics.js';

const DARAJA_EVENT_TYPES: readonly string[] = Object.values(DARAJA_TOPICS);

/** A subscription to webhooks. @see docs/conformance.md#webhook-subscriptions @publicApi */
export class CreateWebhookSubscriptionDto {
  /** Event type in the platform's words: one of `WEBHOOK_TOPICS`, or one that this version does not know. */
  @Matches(/^[a-z0-9]+(_[a-z0-9]+)*$/, {
    message: '$property must be an event type such as buygoods_transaction_received',
  })
  eventType: WebhookTopic | (string & Record<never, never>);

  /** Where webhooks are posted. @default our own (signed) webhook URL */
  @IsOptional()
  @Satisfies(secureUrlProblem)
  url?: string;

  /** `till` or `company`. The platform has some event types for one of them only. */
  @Satisfies((value, { eventType }) => {
    const scopes = scopesOf(String(eventType));
    if (scopes.includes(value as SubscriptionScope)) return null;
    const cause = `, since the platform has ${String(eventType)} for no other scope`;
    return `must be ${scopes.join(' or ')}${scopes.length === 1 ? cause : ''}`;
  })
  scope: SubscriptionScope;

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
      : `must be left out, since eventType is ${String(eventType)}: only ${DARAJA_EVENT_TYPES.join(' and ')} have that format`,
  )
  enableDarajaPayload?: boolean;
}
