import type { ResourceEnvelope } from '../../../money/resource-envelope.js';
import { wireText } from '../../wire-value.js';
import type { CreateSmsNotificationDto } from './create-sms-notification.dto.js';

export const SMS_NOTIFICATION_TYPE = 'transaction_sms_notification';

/**
 * An SMS notification as the platform shows it. A field that the platform did not send is null.
 * @see docs/conformance.md#sms-notifications
 * @publicApi
 */
export interface SmsNotification {
  id: string;
  /** `Success` and `Failed` are final; any other status is not. */
  status: string | null;
  /** Text of the SMS. */
  message: string | null;
  /** Id of the webhook event of the transaction. */
  webhookEventReference: string | null;
  /** `callbackUrl` has its MAC replaced by a hash, because the MAC is a secret. */
  links: { callbackUrl: string | null; self: string | null };
  /** The resource as the platform sent it, except for the MAC in its callback URL. */
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
