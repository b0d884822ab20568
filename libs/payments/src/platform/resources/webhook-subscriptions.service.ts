import { IsBoolean, IsOptional, Matches } from 'class-validator';
import type { CurrentSettings } from '../../accounts/payments.settings.js';
import { isTillNumber } from '../../money/till-number.js';
import { secureUrlProblem } from '../../money/values.js';
import {
  DARAJA_TOPICS,
  scopesOf,
  type SubscriptionScope,
  type WebhookTopic,
} from '../../money/webhook-topics.js';
import { Concealed, Satisfies, validateInput } from '../../runtime/validate-input.js';
import type { CallbackUrls } from '../callback-urls.js';
import type { CreatedResource, PlatformClient } from '../platform-client.js';
import { createResource, getResource } from '../resource-requests.js';
import { type ResourceTable, type Shown, text } from '../resource-table.js';
import { wireText } from '../wire-value.js';

/**
 * Subscriptions to webhooks. Several may cover one till: its money still emits one event.
 * @example
 * await subscriptions.create({ eventType: 'buygoods_transaction_received', scope: 'till', scopeReference: '514459' });
 * @see docs/guide.md#deliveries
 * @publicApi
 */
@Concealed()
export class WebhookSubscriptionsService {
  constructor(
    private readonly client: PlatformClient,
    private readonly urls: CallbackUrls,
    private readonly settings: CurrentSettings,
  ) {}

  /**
   * Subscribes to an event type.
   * @throws PaymentsValidationError before anything is sent
   * @throws PlatformUnreachableError | PlatformTimeoutError | PlatformUnauthorizedError | PlatformRateLimitedError | PlatformRedirectError |
   * InterceptedRequestError | AccountRemovedError | SendingPausedError | StoreUnavailableError when it was certainly not processed, for as long as `sending.sendBeforeMs` (60 s)
   * @throws UnknownOutcomeError when it may have happened; a second subscription does no harm
   */
  async create(dto: CreateWebhookSubscriptionDto): Promise<CreatedResource> {
    const checked = validateInput(CreateWebhookSubscriptionDto, dto);
    const body = toWireWebhookSubscription(checked, checked.url ?? this.webhookUrl());
    return createResource(this.client, WEBHOOK_SUBSCRIPTION, body);
  }

  /** Returns the URL of our webhooks, for the platform's portal or a subscription. With URL secrets set it contains a secret. */
  webhookUrl(): string {
    return this.urls.webhook(this.settings.current.account);
  }

  /** Reads a subscription. */
  get(id: string): Promise<WebhookSubscription> {
    return getResource(this.client, WEBHOOK_SUBSCRIPTION, id);
  }
}

const DARAJA_EVENT_TYPES: readonly string[] = Object.values(DARAJA_TOPICS);

/** A subscription to webhooks. @see docs/conformance.md#webhook-subscriptions @publicApi */
export class CreateWebhookSubscriptionDto {
  /** Event type in the platform's words: one of `WEBHOOK_TOPICS`, or one that this version does not know. */
  @Matches(/^[a-z0-9]+(_[a-z0-9]+)*$/, {
    message: '$property must be an event type such as buygoods_transaction_received',
  })
  eventType: WebhookTopic | (string & Record<never, never>);

  /** The platform posts the webhooks to this URL. @default our own (signed) webhook URL */
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

  /** True asks for payloads of the Daraja shape; it is only for transactions received. */
  @IsOptional()
  @IsBoolean({ message: '$property must be true or false' })
  @Satisfies((value, { eventType }) =>
    value !== true || DARAJA_EVENT_TYPES.includes(String(eventType))
      ? null
      : `must be left out, since eventType is ${String(eventType)}: only ${DARAJA_EVENT_TYPES.join(' and ')} have that format`,
  )
  enableDarajaPayload?: boolean;
}

export const WEBHOOK_SUBSCRIPTION = {
  noun: 'webhook subscription',
  path: '/api/{version}/webhook_subscriptions',
  version: 'webhookSubscriptions',
  // The platform's documentation does not show its type.
  types: [],
  purpose: 'other',
  fields: {
    eventType: text,
    url: (wire): string | null => wireText(wire['webhook_uri'] ?? wire['url']),
    status: text,
    scope: text,
    scopeReference: text,
  },
} satisfies ResourceTable;

/**
 * A subscription as read back. The platform's documentation does not show its fields: those that we do not know stay under `raw`.
 * @publicApi
 */
export interface WebhookSubscription extends Shown<typeof WEBHOOK_SUBSCRIPTION> {}

export function toWireWebhookSubscription(
  dto: CreateWebhookSubscriptionDto,
  url: string,
): Record<string, unknown> {
  return {
    event_type: dto.eventType,
    url,
    scope: dto.scope,
    scope_reference: dto.scopeReference ?? '',
    ...(dto.enableDarajaPayload !== undefined && {
      enable_daraja_payload: dto.enableDarajaPayload,
    }),
  };
}
