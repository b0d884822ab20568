import type { ResourceEnvelope } from '../../../money/resource-envelope.js';
import { wireText } from '../../wire-value.js';
import type { CreateWebhookSubscriptionDto } from './create-webhook-subscription.dto.js';

/** A subscription as read back. The platform's documentation does not show its fields: what is not known stays under `raw`. @publicApi */
export interface WebhookSubscription {
  id: string;
  eventType: string | null;
  url: string | null;
  status: string | null;
  scope: string | null;
  scopeReference: string | null;
  raw: Record<string, unknown>;
}

export function readWebhookSubscription({
  id,
  attributes,
  raw,
}: ResourceEnvelope): WebhookSubscription {
  return {
    id,
    eventType: wireText(attributes['event_type']),
    url: wireText(attributes['webhook_uri'] ?? attributes['url']),
    status: wireText(attributes['status']),
    scope: wireText(attributes['scope']),
    scopeReference: wireText(attributes['scope_reference']),
    raw,
  };
}

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
