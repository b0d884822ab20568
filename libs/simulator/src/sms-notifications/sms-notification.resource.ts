import type { ResourceFormat } from '../server/resource-writer.js';

export interface CreateSmsNotificationBody {
  webhook_event_reference: string;
  message: string;
  _links: { callback_url: string };
}

/** A request to send an SMS to the customer who paid. */
export interface SmsNotification {
  readonly id: string;
  readonly request: CreateSmsNotificationBody;
  readonly phone: string;
  /** The name of the till, which is the sender of the SMS. */
  readonly from: string;
  sent: boolean;
}

export const SMS_NOTIFICATION: ResourceFormat<SmsNotification> = {
  path: '/api/v1/transaction_sms_notifications',
  type: 'transaction_sms_notification',
  faults: [],
  callbackUrlOf: ({ request }) => request._links.callback_url,
  identityOf: ({ phone }) => ({ phone }),
  attributes: ({ request, sent }) => ({
    status: sent ? 'Success' : 'Pending',
    message: request.message,
    webhook_event_reference: request.webhook_event_reference,
  }),
};
