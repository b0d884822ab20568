import { randomUUID } from 'node:crypto';
import type { SimulatedClock } from '../clock/clock.service.js';
import type { MerchantDeliveries } from '../deliveries/deliveries.service.js';
import type { FaultInjector } from '../faults/faults.service.js';
import type { FaultSubject } from '../faults/fault.subject.js';
import type { Handsets } from '../handsets/handsets.service.js';

export const SMS_NOTIFICATIONS_PATH = '/api/v1/transaction_sms_notifications';

/** The body of a create. */
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

/** Sends an SMS about a received transaction and delivers the result. */
export class SmsNotifications {
  private readonly byId = new Map<string, SmsNotification>();

  constructor(
    private readonly clock: SimulatedClock,
    private readonly durationMs: number,
    private readonly handsets: Handsets,
    private readonly deliveries: MerchantDeliveries,
    private readonly faults: FaultInjector,
    private readonly baseUrl: () => string,
    private readonly merchant: string,
  ) {}

  create(request: CreateSmsNotificationBody, phone: string, from: string): SmsNotification {
    const notification: SmsNotification = { id: randomUUID(), request, phone, from, sent: false };
    this.byId.set(notification.id, notification);
    this.clock.schedule(this.durationMs, () => this.finish(notification));
    return notification;
  }

  find(id: string): SmsNotification | undefined {
    return this.byId.get(id);
  }

  /** The resource as JSON text. */
  read({ id, request, sent }: SmsNotification, subject: FaultSubject): string {
    const unknownField = this.faults.inject('unknown-field', subject);
    return JSON.stringify({
      data: {
        id,
        type: 'transaction_sms_notification',
        attributes: {
          status: sent ? 'Success' : 'Pending',
          message: request.message,
          webhook_event_reference: request.webhook_event_reference,
          ...(unknownField ? { parts: 1 } : {}),
          _links: {
            callback_url: request._links.callback_url,
            self: `${this.baseUrl()}${SMS_NOTIFICATIONS_PATH}/${id}`,
          },
        },
      },
    });
  }

  private finish(notification: SmsNotification): void {
    const { request, phone, from } = notification;
    const topic = 'transaction_sms_notification';
    notification.sent = true;
    const message = { at: new Date(this.clock.now()).toISOString(), from, text: request.message };
    this.handsets.of(phone).receive(message, this.merchant);
    void this.deliveries.send({
      kind: 'callback',
      topic,
      url: request._links.callback_url,
      body: this.read(notification, { delivery: 'callback', topic, phone }),
      phone,
    });
  }
}
