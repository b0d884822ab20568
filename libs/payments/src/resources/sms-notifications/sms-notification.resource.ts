import type { ResourceEnvelope } from '../resource-envelope.js';
import { wireText } from '../wire-value.js';
import type { CreateSmsNotificationDto } from './create-sms-notification.dto.js';

export const SMS_NOTIFICATION_TYPE = 'transaction_sms_notification';

/** An SMS notification as the platform tells it (spec 2.6). @publicApi */
export interface SmsNotification {
  id: string;
  status: string | null;
  message: string | null;
  webhookEventReference: string | null;
  links: { callbackUrl: string | null; self: string | null };
  raw: Record<string, unknown>;
}

export function readSmsNotification({
  id,
  attributes,
  links,
  raw,
}: ResourceEnvelope): SmsNotification {
  return {
    id,
    status: wireText(attributes['status']),
    message: wireText(attributes['message']),
    webhookEventReference: wireText(attributes['webhook_event_reference']),
    links,
    raw,
  };
}

export function toWireSmsNotification(
  dto: CreateSmsNotificationDto,
  callbackUrl: string,
): Record<string, unknown> {
  return {
    webhook_event_reference: dto.webhookEventReference,
    message: dto.message,
    _links: { callback_url: callbackUrl },
  };
}
