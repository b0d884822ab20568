import type { MerchantContext } from '../merchants/merchant-context.js';
import { required, text } from '../server/body.dto.js';
import { links } from '../server/field-rules.js';
import { Refusal } from '../server/platform-answer.dto.js';
import type { ApiResource } from '../server/resource-routes.js';
import type { WebhookEvents } from '../webhook-events/webhook-events.service.js';
import {
  SMS_NOTIFICATION,
  type CreateSmsNotificationBody,
  type SmsNotification,
} from './sms-notification.resource.js';
import type { SmsNotifications } from './sms-notifications.service.js';

export function smsNotificationsApi(
  { settings }: MerchantContext,
  events: WebhookEvents,
  notifications: SmsNotifications,
): ApiResource<CreateSmsNotificationBody, SmsNotification> {
  return {
    path: SMS_NOTIFICATION.path,
    name: 'SMS notification',
    schema: {
      webhook_event_reference: required(text),
      message: required(text),
      _links: links(settings.allowPlainCallbackHosts),
    },
    view: notifications.writer,
    find: (id) => notifications.store.find(id),
    check(body) {
      const eventId = body.webhook_event_reference;
      const event = events.find(eventId);
      const { transaction = null } = event ?? {};
      if (!transaction || event?.topic !== 'buygoods_transaction_received') {
        throw new Refusal(
          422,
          `webhook_event_reference ${eventId} is not the id of a buygoods_transaction_received event`,
        );
      }
      return {
        subject: { phone: transaction.phoneNumber },
        commit: () => notifications.create(body, transaction),
      };
    },
  };
}
