import { randomUUID } from 'node:crypto';
import type { NewDelivery } from '../deliveries/delivery.record.js';
import type { MerchantContext } from '../merchants/merchant-context.js';
import {
  webhookTransactionResource,
  type WireObject,
} from '../transactions/transaction.resource.js';
import type { Transaction } from '../transactions/transactions.store.js';
import { ItemStore } from '../values/item.store.js';
import type {
  WebhookSubscription,
  WebhookSubscriptions,
} from '../webhook-subscriptions/webhook-subscriptions.service.js';
import { darajaPayload } from './daraja.resource.js';
import { describeEventType, type EventType } from './event-types.constants.js';
import { webhookBody } from './webhook-body.js';

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
  /** True when the webhook is recorded but never sent. */
  readonly lost?: boolean;
}

/** Sends events to their subscriptions. Without a subscription there is no event. */
export class WebhookEvents extends ItemStore<WebhookEvent> {
  /** The published resources, by collection and id. */
  private readonly linked = new Map<string, LinkedResource>();

  constructor(
    private readonly context: MerchantContext,
    private readonly subscriptions: WebhookSubscriptions,
  ) {
    super();
  }

  /** True when the company has a subscription to an event type. */
  isWanted(topic: EventType): boolean {
    return this.subscriptions.matching(topic, []).length > 0;
  }

  /** Finds something that was published and is no transaction of a till. */
  findLinked(collection: string, id: string): LinkedResource | undefined {
    return this.linked.get(`${collection}/${id}`);
  }

  /** Publishes a transaction. @returns after the first attempt to deliver each webhook. */
  async publishTransaction(
    topic: EventType,
    transaction: Transaction,
    options: PublishOptions = {},
  ): Promise<void> {
    const subscriptions = this.subscriptions.matching(
      topic,
      this.context.merchant.tills.numbersOf(transaction.tillNumber),
    );
    if (subscriptions.length === 0) return;
    const subject = { delivery: 'webhook', topic, phone: transaction.phoneNumber };
    const isNumber = this.context.faults.inject('number-amounts', subject) !== null;
    const resource = webhookTransactionResource(transaction, isNumber);
    await this.publish({ topic, resource, transaction }, subscriptions, options);
  }

  /** Publishes any other resource. @returns the event ids, after the first attempt to deliver each webhook. */
  async publishResource(
    topic: EventType,
    resource: WireObject,
    options: PublishOptions = {},
  ): Promise<string[]> {
    const till =
      typeof resource.till_number === 'string'
        ? this.context.merchant.tills.numbersOf(resource.till_number)
        : [];
    const subscriptions = this.subscriptions.matching(topic, till);
    return this.publish({ topic, resource, transaction: null }, subscriptions, options);
  }

  /** Returns the body of the webhook. The URL in `_links.self` answers the same. */
  body(event: WebhookEvent): WireObject {
    return webhookBody(event, this.context.baseUrl());
  }

  private async publish(
    about: Pick<WebhookEvent, 'topic' | 'resource' | 'transaction'>,
    subscriptions: readonly WebhookSubscription[],
    { lost }: PublishOptions,
  ): Promise<string[]> {
    const { topic, resource, transaction } = about;
    const { deliveries, clock } = this.context;
    const ownId = typeof resource.id === 'string' ? resource.id : randomUUID();
    const resourceId = transaction?.id ?? ownId;
    if (!transaction)
      this.linked.set(`${describeEventType(topic).collection}/${resourceId}`, { topic, resource });
    const events = subscriptions.map((subscription) => ({
      subscription,
      event: this.add({ ...about, resourceId, createdAt: clock.now() }),
    }));
    await Promise.all(
      events.map(async ({ subscription, event }) => {
        const delivery = this.deliveryOf(subscription, event);
        if (lost) deliveries.recordLost(delivery);
        else await deliveries.send(delivery);
      }),
    );
    return events.map(({ event }) => event.id);
  }

  private deliveryOf(subscription: WebhookSubscription, event: WebhookEvent): NewDelivery {
    const { topic, transaction } = event;
    const unknownField = this.context.faults.inject('unknown-field', {
      delivery: 'webhook',
      topic,
    });
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
}
