import type { EventSubject, NewEvent, PaymentsEventBase } from '../store/new-event.js';
import { CUSTOMERS, readCustomer } from '../platform/resources/customer.resource.js';
import {
  MERCHANT_TRANSACTIONS,
  readMerchantTransaction,
  type MerchantTransaction,
} from '../platform/resources/merchant-transaction.resource.js';
import {
  readSettlement,
  SETTLEMENTS,
  type Settlement,
} from '../platform/resources/settlement.resource.js';
import { TOPICS_WITH_STATUS, type WebhookTopic } from '../money/webhook-topics.js';
import type { WireObject } from '../platform/wire-value.js';
import { isIdentifier, pathSegments } from '../money/values.js';
import { toMinorUnits } from '../money/money.js';
import { deliveryEvent, type DeliveryEvents } from './deliveries.service.js';

/** A webhook reports this about something that is no money at a till. */
export interface Notice {
  /** The platform's id of what it is about. */
  id: string | null;
  /** Null also for what has no status. */
  status: string | null;
  /** The time of origin, as the platform wrote it. */
  originationTime: string | null;
  /** The money that it reports: currency and minor units. Null when the amount cannot be read; undefined when it reports none. */
  amount: string | null | undefined;
  /** @param identity what the same notice of another subscription has too: the id, else that of the webhook */
  event: (
    subject: Omit<EventSubject, 'stream'>,
    identity: string,
    webhookEventId: string | null,
  ) => NewEvent;
}

/** Says how webhooks of one topic are read. */
export interface Notices {
  topic: WebhookTopic;
  /** The name of the collection in the URL of what it is about. */
  collection: string;
  /** True when its status must prove it. */
  hasStatus: boolean;
  read: (resource: WireObject, linkedId: string | null) => Notice;
}

interface Description<R, Name extends keyof DeliveryEvents> {
  topic: WebhookTopic;
  collection: string;
  event: Name;
  read: (resource: WireObject, linkedId: string | null) => R;
  /** Absent for what is no money. */
  amount?: (thing: R) => string | null;
  content: (
    thing: R,
    webhookEventId: string | null,
  ) => Omit<DeliveryEvents[Name], keyof PaymentsEventBase>;
}

function notices<
  R extends { id: string | null; status?: string | null; originationTime?: string | null },
  Name extends keyof DeliveryEvents,
>({ topic, collection, event, read, amount, content }: Description<R, Name>): Notices {
  return {
    topic,
    collection,
    hasStatus: TOPICS_WITH_STATUS.includes(topic),
    read: (resource, linked) => {
      const thing = read(resource, linked);
      const reported = amount?.(thing);
      return {
        id: thing.id,
        status: thing.status ?? null,
        originationTime: thing.originationTime ?? null,
        amount: reported,
        event: (subject, identity, webhookEventId) => ({
          ...deliveryEvent(
            event,
            { ...subject, stream: `${topic}:${identity}` },
            content(thing, webhookEventId),
          ),
          ...(reported && { amount: reported }),
        }),
      };
    },
  };
}

function amountOf({ amount, currency }: Settlement | MerchantTransaction): string | null {
  const minor = amount === null || currency === null ? null : toMinorUnits(amount, currency);
  return minor === null ? null : `${currency} ${minor}`;
}

/** The webhooks of all topics that report no money at a till. */
export const NOTICES: readonly Notices[] = [
  notices({
    topic: 'customer_created',
    collection: CUSTOMERS,
    event: 'customer.created',
    read: readCustomer,
    content: (customer, webhookEventId) => ({ customer, webhookEventId }),
  }),
  notices({
    topic: 'settlement_transfer_completed',
    collection: SETTLEMENTS,
    event: 'settlement.completed',
    read: readSettlement,
    amount: amountOf,
    content: (settlement, webhookEventId) => ({ settlement, webhookEventId }),
  }),
  notices({
    topic: 'm2m_transaction_received',
    collection: MERCHANT_TRANSACTIONS,
    event: 'merchant-transaction.received',
    read: readMerchantTransaction,
    amount: amountOf,
    content: (merchantTransaction, webhookEventId) => ({ merchantTransaction, webhookEventId }),
  }),
];

/**
 * Returns the id at the end of the URL of what a webhook is about. The rest of the URL may be anything: we never follow it. Null for a URL that ends
 * in the collection.
 */
export function linkedId(url: unknown, collection: string): string | null {
  const [id, before] = pathSegments(url).reverse();
  return before !== undefined && isIdentifier(id) && id !== collection ? id : null;
}
