import { required, text, type BodySchema } from '../server/body.dto.js';
import { links } from '../server/field.rules.js';
import { Refusal, type PlatformAnswer } from '../server/platform-answer.dto.js';
import type { PlatformExchange, PlatformRoute } from '../server/platform-exchange.dto.js';
import type { RequestPipeline } from '../server/request-pipeline.service.js';
import type { SimulatorSettings } from '../simulator.options.js';
import type { Transaction } from '../transactions/transactions.store.js';
import type { WebhookEvents } from '../webhook-events/webhook-events.service.js';
import {
  SMS_NOTIFICATIONS_PATH,
  type CreateSmsNotificationBody,
  type SmsNotifications,
} from './sms-notifications.service.js';

const RESOURCE = 'transaction_sms_notifications';

/** The SMS endpoints: create and read. */
export class SmsNotificationRoutes {
  private readonly schema: BodySchema;

  constructor(
    settings: SimulatorSettings,
    private readonly pipeline: RequestPipeline,
    private readonly events: WebhookEvents,
    private readonly notifications: SmsNotifications,
  ) {
    this.schema = {
      webhook_event_reference: required(text),
      message: required(text),
      _links: links(settings.allowPlainCallbackHosts),
    };
  }

  routes(): PlatformRoute[] {
    return [
      { method: 'POST', path: SMS_NOTIFICATIONS_PATH, handle: (exchange) => this.create(exchange) },
      {
        method: 'GET',
        path: `${SMS_NOTIFICATIONS_PATH}/:id`,
        handle: (exchange) => this.get(exchange),
      },
    ];
  }

  private async create(exchange: PlatformExchange): Promise<PlatformAnswer> {
    this.pipeline.authorise(exchange, RESOURCE);
    const body = this.pipeline.readBody<CreateSmsNotificationBody>(exchange, this.schema);
    const { phoneNumber, tillNumber } = this.transactionOf(body.webhook_event_reference);
    return this.pipeline.create(exchange, { resource: RESOURCE, phone: phoneNumber }, () => {
      const { id } = this.notifications.create(body, phoneNumber, tillNumber);
      return `${SMS_NOTIFICATIONS_PATH}/${id}`;
    });
  }

  /** `webhook_event_reference` must be the id of a `buygoods_transaction_received` event. */
  private transactionOf(eventId: string): Transaction {
    const event = this.events.find(eventId);
    if (!event?.transaction || event.topic !== 'buygoods_transaction_received') {
      throw new Refusal(
        422,
        `webhook_event_reference ${eventId} is not the id of a buygoods_transaction_received event`,
      );
    }
    return event.transaction;
  }

  private async get(exchange: PlatformExchange): Promise<PlatformAnswer> {
    this.pipeline.authorise(exchange, RESOURCE);
    const notification = this.notifications.find(exchange.params.id ?? '');
    if (!notification) throw new Refusal(404, 'The SMS notification was not found');
    const subject = { resource: RESOURCE, phone: notification.phone };
    return this.pipeline.read(exchange, subject, () =>
      this.notifications.read(notification, subject),
    );
  }
}
