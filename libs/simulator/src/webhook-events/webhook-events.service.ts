import { randomUUID } from 'node:crypto';
import type { SimulatedClock } from '../clock/clock.service.js';
import type { Deliveries } from '../deliveries/deliveries.service.js';
import type { DeliveryOrder } from '../deliveries/delivery.record.js';
import type { Faults } from '../faults/faults.service.js';
import {
  webhookTransactionResource,
  type WireObject,
} from '../transactions/transaction.resource.js';
import type { Transaction } from '../transactions/transactions.store.js';
import { timestamp } from '../values/timestamp.value.js';
import type {
  WebhookSubscription,
  WebhookSubscriptions,
} from '../webhook-subscriptions/webhook-subscriptions.service.js';
import { darajaPayload } from './daraja.resource.js';
import { describeEventType, type EventType } from './event-types.constants.js';

/** One event as one subscription hears of it: each has an id of its own. */
export interface WebhookEvent {
  readonly id: string;
  readonly topic: EventType;
  readonly createdAt: number;
  readonly resource: WireObject;
  readonly transaction: Transaction | null;
}

/** Whom an event is about, for faults and filters. */
interface About {
  readonly transaction?: Transaction;
  readonly never?: boolean;
  readonly delayMs?: number;
}

/** Tells the subscriptions what happened. Nothing is made where nobody subscribed. */
export class WebhookEvents {
  private readonly byId = new Map<string, WebhookEvent>();

  constructor(
    private readonly subscriptions: WebhookSubscriptions,
    private readonly deliveries: Deliveries,
    private readonly clock: SimulatedClock,
    private readonly faults: Faults,
    private readonly baseUrl: () => string,
    private readonly namesOf: (tillNumber: string) => readonly string[],
  ) {}

  find(id: string): WebhookEvent | undefined {
    return this.byId.get(id);
  }

  /** Tells of a transaction. @returns when the first attempts are over. */
  async publishTransaction(
    topic: EventType,
    transaction: Transaction,
    about: Omit<About, 'transaction'> = {},
  ): Promise<void> {
    const wanting = this.subscriptions.matching(topic, this.namesOf(transaction.tillNumber));
    if (wanting.length === 0) return;
    const resource = webhookTransactionResource(
      transaction,
      this.numberAmounts(topic, transaction),
    );
    await this.publish(topic, resource, wanting, { ...about, transaction });
  }

  /** Tells of anything else. @returns the event ids, when the first attempts are over. */
  async publishResource(topic: EventType, resource: WireObject): Promise<string[]> {
    const till = typeof resource.till_number === 'string' ? this.namesOf(resource.till_number) : [];
    return this.publish(topic, resource, this.subscriptions.matching(topic, till), {});
  }

  /** The body of the webhook, which is also what its `_links.self` answers. */
  body(event: WebhookEvent): WireObject {
    const base = this.baseUrl();
    return {
      topic: event.topic,
      id: event.id,
      created_at: timestamp(event.createdAt),
      event: { type: describeEventType(event.topic).type, resource: event.resource },
      _links: {
        self: `${base}/webhook_events/${event.id}`,
        resource: `${base}/financial_transactions/${resourceIdOf(event)}`,
      },
    };
  }

  private async publish(
    topic: EventType,
    resource: WireObject,
    wanting: readonly WebhookSubscription[],
    about: About,
  ): Promise<string[]> {
    const events = wanting.map((subscription) => ({
      subscription,
      event: this.record(topic, resource, about),
    }));
    await Promise.all(
      events.map(async ({ subscription, event }) => {
        const order = this.order(subscription, event);
        if (about.never) this.deliveries.sendNever(order);
        else await this.deliveries.send(order, about.delayMs);
      }),
    );
    return events.map(({ event }) => event.id);
  }

  private record(topic: EventType, resource: WireObject, about: About): WebhookEvent {
    const event: WebhookEvent = {
      id: randomUUID(),
      topic,
      createdAt: this.clock.now(),
      resource,
      transaction: about.transaction ?? null,
    };
    this.byId.set(event.id, event);
    return event;
  }

  private order(subscription: WebhookSubscription, event: WebhookEvent): DeliveryOrder {
    const { topic, transaction } = event;
    const strange = this.faults.strike('unknown-field', { delivery: 'webhook', topic });
    const body = {
      ...(subscription.darajaPayload ? darajaPayload(event.resource) : this.body(event)),
      ...(strange ? { loyalty_points: 7 } : {}),
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
    return this.faults.strike('number-amounts', subject) !== null;
  }
}

function resourceIdOf({ id, transaction, resource }: WebhookEvent): string {
  if (transaction) return transaction.id;
  return typeof resource.id === 'string' ? resource.id : id;
}
