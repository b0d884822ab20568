import { randomUUID } from 'node:crypto';
import type { EventType } from '../webhook-events/event-types.constants.js';

/** A URL of the application for the webhooks of an event type. */
export interface WebhookSubscription {
  readonly id: string;
  readonly eventType: EventType;
  readonly url: string;
  readonly scope: 'till' | 'company';
  readonly scopeReference: string | null;
  readonly darajaPayload: boolean;
}

/** The subscriptions. Several may have the same event type and scope. */
export class WebhookSubscriptions {
  private readonly byId = new Map<string, WebhookSubscription>();
  private readonly byEventType = new Map<EventType, WebhookSubscription[]>();

  add(details: Omit<WebhookSubscription, 'id'>): WebhookSubscription {
    const subscription = { ...details, id: randomUUID() };
    this.byId.set(subscription.id, subscription);
    const subscriptions = this.byEventType.get(subscription.eventType);
    if (subscriptions) subscriptions.push(subscription);
    else this.byEventType.set(subscription.eventType, [subscription]);
    return subscription;
  }

  find(id: string): WebhookSubscription | undefined {
    return this.byId.get(id);
  }

  list(): WebhookSubscription[] {
    return [...this.byId.values()];
  }

  /** The subscriptions to this event type at one of these tills, or at the company. */
  matching(eventType: EventType, tillNumbers: readonly string[]): WebhookSubscription[] {
    const subscriptions = this.byEventType.get(eventType);
    if (!subscriptions) return [];
    return subscriptions.filter(
      ({ scope, scopeReference }) =>
        scope === 'company' || tillNumbers.includes(scopeReference ?? ''),
    );
  }
}
