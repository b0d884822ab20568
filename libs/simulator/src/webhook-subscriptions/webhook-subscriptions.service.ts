import type { EventType } from '../webhook-events/event-types.constants.js';
import { ItemStore } from '../values/item.store.js';

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
export class WebhookSubscriptions extends ItemStore<WebhookSubscription> {
  /** Returns the subscriptions to this event type at one of these tills, or at the company. */
  matching(eventType: EventType, tillNumbers: readonly string[]): WebhookSubscription[] {
    return this.all().filter(
      ({ eventType: own, scope, scopeReference }) =>
        own === eventType && (scope === 'company' || tillNumbers.includes(scopeReference ?? '')),
    );
  }
}
