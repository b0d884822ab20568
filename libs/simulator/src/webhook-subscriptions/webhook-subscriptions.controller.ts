import type { MerchantContext } from '../merchants/merchant-context.js';
import { optional, required } from '../server/body.dto.js';
import { oneOf, textOrNull, trueOrFalse } from '../server/field-rules.js';
import { Refusal } from '../server/platform-answer.dto.js';
import type { ApiResource } from '../server/resource-routes.js';
import { callbackUrlError } from '../values/callback-url.js';
import {
  describeEventType,
  isEventType,
  type EventType,
} from '../webhook-events/event-types.constants.js';
import type { WebhookSubscription, WebhookSubscriptions } from './webhook-subscriptions.service.js';

interface CreateWebhookSubscriptionBody {
  event_type: EventType;
  url: string;
  scope: 'till' | 'company';
  scope_reference?: string | null;
  enable_daraja_payload?: boolean | null;
}

export function webhookSubscriptionsApi(
  { settings, merchant }: MerchantContext,
  subscriptions: WebhookSubscriptions,
): ApiResource<CreateWebhookSubscriptionBody, WebhookSubscription> {
  return {
    path: '/api/v1/webhook_subscriptions',
    name: 'webhook subscription',
    schema: {
      event_type: required((value) => (isEventType(value) ? null : 'is not a known event type')),
      url: required((value) => callbackUrlError(value, settings.allowPlainCallbackHosts)),
      scope: required(oneOf('till', 'company')),
      scope_reference: optional(textOrNull),
      enable_daraja_payload: optional(trueOrFalse),
    },
    view: { identityOf: ({ eventType }) => ({ topic: eventType }), read },
    find: (id) => subscriptions.find(id),
    check(body) {
      const { event_type: eventType, url, scope } = body;
      const { scopes, daraja } = describeEventType(eventType);
      if (settings.strict && !scopes.includes(scope))
        throw new Refusal(400, `scope of ${eventType} must be ${scopes.join(' or ')}`);
      if (body.enable_daraja_payload && !daraja)
        throw new Refusal(400, `enable_daraja_payload is not allowed for ${eventType}`);
      const till = merchant.tills.inScope(scope, body.scope_reference);
      return {
        subject: { topic: eventType },
        commit: () =>
          subscriptions.add({
            eventType,
            url,
            scope,
            scopeReference: till?.number ?? null,
            darajaPayload: body.enable_daraja_payload ?? false,
          }),
      };
    },
  };
}

/** The contract does not show the response of a read. */
function read({ id, eventType, url, scope, scopeReference }: WebhookSubscription): string {
  return JSON.stringify({
    data: {
      id,
      type: 'webhook_subscription',
      attributes: {
        event_type: eventType,
        webhook_uri: url,
        status: 'Active',
        scope: scope === 'till' ? 'Till' : 'Company',
        scope_reference: scopeReference,
      },
    },
  });
}
