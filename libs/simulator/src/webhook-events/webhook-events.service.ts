import { randomUUID } from 'node:crypto';
import type { SimulatedClock } from '../clock/clock.service.js';
import type { MerchantDeliveries } from '../deliveries/deliveries.service.js';
import type { NewDelivery } from '../deliveries/delivery.record.js';
import type { FaultInjector } from '../faults/faults.service.js';
import {
  webhookTransactionResource,
  type WireObject,
} from '../transactions/transaction.resource.js';
import type { Transaction } from '../transactions/transactions.store.js';
import { timestamp } from '../values/timestamp.js';
import type {
  WebhookSubscription,
  WebhookSubscriptions,
} from '../webhook-subscriptions/webhook-subscriptions.service.js';
import { darajaPayload } from './daraja.resource.js';
import { describeEventType, type EventType } from './event-types.constants.js';

/** One event for one subscription: each subscription gets its own event id. */
export interface WebhookEvent {
  readonly id: string;
  readonly topic: EventType;
  readonly createdAt: number;
  readonly resource: WireObject;
  readonly transaction: Transaction | null;
  /** The id in `_links.resource`: the same in every event about it. */
  readonly resourceId: string;
}

/** Something that an event was about, as the URL in `_links.resource` shows it. */
export interface LinkedResource {
  readonly topic: EventType;
  readonly resource: WireObject;
}

interface PublishOptions {
  /** The transaction that the event is about. */
  readonly transaction?: Transaction;
  /** Whether the webhook is recorded but never sent. */
  readonly lost?: boolean;
  readonly delayMs?: number;
}

/** Sends events to their subscriptions. Without a subscription there is no event. */
export class WebhookEvents {
  private readonly byId = new Map<string, WebhookEvent>();
  /** By collection and id. */
  private readonly linked = new Map<string, LinkedResource>();

  constructor(
    private readonly subscriptions: WebhookSubscriptions,
    private readonly deliveries: MerchantDeliveries,
    private readonly clock: SimulatedClock,
    private readonly faults: FaultInjector,
    private readonly baseUrl: () => string,
    private readonly numbersOf: (tillNumber: string) => readonly string[],
  ) {}

  /** Whether there is a subscription of the company to an event type. */
  isWanted(topic: EventType): boolean {
    return this.subscriptions.matching(topic, []).length > 0;
  }

  find(id: string): WebhookEvent | undefined {
    return this.byId.get(id);
  }

  /** Something that was published and is no transaction of a till. */
  findLinked(collection: string, id: string): LinkedResource | undefined {
    return this.linked.get(`${collection}/${id}`);
  }

  /** Publishes a transaction. @returns after the first attempt to deliver each webhook. */
  async publishTransaction(
    topic: EventType,
    transaction: Transaction,
    options: Omit<PublishOptions, 'transaction'> = {},
  ): Promise<void> {
    const subscriptions = this.subscriptions.matching(
      topic,
      this.numbersOf(transaction.tillNumber),
    );
    if (subscriptions.length === 0) return;
    const resource = webhookTransactionResource(
      transaction,
      this.numberAmounts(topic, transaction),
    );
    await this.publish(topic, resource, subscriptions, { ...options, transaction });
  }

  /** Publishes any other resource. @returns the event ids, after the first attempt to deliver each webhook. */
  async publishResource(
    topic: EventType,
    resource: WireObject,
    options: Omit<PublishOptions, 'transaction'> = {},
  ): Promise<string[]> {
    const till =
      typeof resource.till_number === 'string' ? this.numbersOf(resource.till_number) : [];
    return this.publish(topic, resource, this.subscriptions.matching(topic, till), options);
  }

  /** The body of the webhook. The URL in `_links.self` answers the same. */
  body(event: WebhookEvent): WireObject {
    const base = this.baseUrl();
    return {
      topic: event.topic,
      id: event.id,
      created_at: timestamp(event.createdAt),
      event: { type: describeEventType(event.topic).type, resource: event.resource },
      _links: {
        self: `${base}/webhook_events/${event.id}`,
        resource: `${base}/${describeEventType(event.topic).collection}/${event.resourceId}`,
      },
    };
  }

  private async publish(
    topic: EventType,
    resource: WireObject,
    subscriptions: readonly WebhookSubscription[],
    options: PublishOptions,
  ): Promise<string[]> {
    const resourceId =
      options.transaction?.id ?? (typeof resource.id === 'string' ? resource.id : randomUUID());
    if (!options.transaction)
      this.linked.set(`${describeEventType(topic).collection}/${resourceId}`, { topic, resource });
    const events = subscriptions.map((subscription) => ({
      subscription,
      event: this.record(topic, resource, resourceId, options),
    }));
    await Promise.all(
      events.map(async ({ subscription, event }) => {
        const delivery = this.deliveryOf(subscription, event);
        if (options.lost) this.deliveries.recordLost(delivery);
        else await this.deliveries.send(delivery, options.delayMs);
      }),
    );
    return events.map(({ event }) => event.id);
  }

  private record(
    topic: EventType,
    resource: WireObject,
    resourceId: string,
    options: PublishOptions,
  ): WebhookEvent {
    const event: WebhookEvent = {
      id: randomUUID(),
      topic,
      createdAt: this.clock.now(),
      resource,
      transaction: options.transaction ?? null,
      resourceId,
    };
    this.byId.set(event.id, event);
    return event;
  }

  private deliveryOf(subscription: WebhookSubscription, event: WebhookEvent): NewDelivery {
    const { topic, transaction } = event;
    const unknownField = this.faults.inject('unknown-field', { delivery: 'webhook', topic });
    const body = {
      ...(subscription.darajaPayload ? darajaPayload(event.resource) : this.body(event)),
      ...(unknownField ? { loyalty_points: 7 } : {}),
    };
    return {
      kind: 'webhook',
      topic,
      url: subscription.url,
      body: JSON.stringify(body),
      eventId: event.id,
      phone: transaction?.phoneNumber,
      paymentId: transaction?.paymentId ?? undefined,
    };
  }

  private numberAmounts(topic: EventType, transaction: Transaction): boolean {
    const subject = { delivery: 'webhook', topic, phone: transaction.phoneNumber };
    return this.faults.inject('number-amounts', subject) !== null;
  }
}
