import type { MerchantContext } from '../merchants/merchant-context.js';
import { ResourceWriter } from '../server/resource-writer.js';
import type { Transaction } from '../transactions/transactions.store.js';
import { ItemStore } from '../values/item.store.js';
import {
  SMS_NOTIFICATION,
  type CreateSmsNotificationBody,
  type SmsNotification,
} from './sms-notification.resource.js';

/** Sends an SMS about a received transaction and delivers the result. */
export class SmsNotifications {
  readonly store = new ItemStore<SmsNotification>();
  readonly writer: ResourceWriter<SmsNotification>;

  constructor(private readonly context: MerchantContext) {
    this.writer = new ResourceWriter(context, SMS_NOTIFICATION);
  }

  create(
    request: CreateSmsNotificationBody,
    { phoneNumber: phone, tillNumber: from }: Transaction,
  ): SmsNotification {
    const { clock, timings } = this.context;
    const notification = this.store.add({ request, phone, from, sent: false });
    clock.schedule(timings.sms, () => this.finish(notification));
    return notification;
  }

  private finish(notification: SmsNotification): void {
    const { request, phone, from } = notification;
    const { clock, handsets, merchant } = this.context;
    notification.sent = true;
    const message = { at: new Date(clock.now()).toISOString(), from, text: request.message };
    handsets.get(phone).receive(message, merchant.name);
    void this.writer.deliver(notification);
  }
}
