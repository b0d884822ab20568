/** Webhooks of an event type have these facts in common. */
export interface EventTypeDescription {
  /** The scopes that a subscription may have. */
  readonly scopes: readonly ('till' | 'company')[];
  /** `event.type` of the webhook. */
  readonly type: string;
  /** The collection in `_links.resource`; that of card transactions is not publicly known. */
  readonly collection: string;
  /** `event.resource.status`; not all events have it. */
  readonly status?: string;
  /** True when a subscription may ask for the Daraja payload. */
  readonly daraja?: boolean;
}

/**
 * Every event type of a subscription. Only the first is part of the platform's contract; the others are publicly known.
 *
 * @publicApi
 */
export const EVENT_TYPES = {
  buygoods_transaction_received: {
    scopes: ['till', 'company'],
    type: 'Buygoods Transaction',
    collection: 'financial_transaction',
    status: 'Received',
    daraja: true,
  },
  buygoods_transaction_reversed: {
    scopes: ['till'],
    type: 'Buygoods Transaction',
    collection: 'financial_transaction',
    status: 'Reversed',
  },
  b2b_transaction_received: {
    scopes: ['till', 'company'],
    type: 'External Till to Till Transaction',
    collection: 'financial_transaction',
    status: 'Complete',
    daraja: true,
  },
  b2b_transaction_reversed: {
    scopes: ['till'],
    type: 'External Till To Till Reversal Transaction',
    collection: 'financial_transaction',
    status: 'Reversed',
  },
  card_transaction_received: {
    scopes: ['till'],
    type: 'Card Transaction',
    collection: 'financial_transaction',
    status: 'Received',
  },
  card_transaction_voided: {
    scopes: ['till'],
    type: 'Card Transaction',
    collection: 'financial_transaction',
    status: 'Voided',
  },
  card_transaction_reversed: {
    scopes: ['till'],
    type: 'Card Transaction',
    collection: 'financial_transaction',
    status: 'Reversed',
  },
  customer_created: {
    scopes: ['company'],
    type: 'Customer Created',
    collection: 'mobile_money_user',
  },
  settlement_transfer_completed: {
    scopes: ['company'],
    type: 'Settlement Transfer',
    collection: 'transfer_batch',
    status: 'Transferred',
  },
  m2m_transaction_received: {
    scopes: ['company'],
    type: 'Merchant to Merchant Transaction',
    collection: 'payment_batches',
    status: 'Received',
  },
} as const satisfies Record<string, EventTypeDescription>;

/** An event type to which a merchant can subscribe: a key of `EVENT_TYPES`. */
export type EventType = keyof typeof EVENT_TYPES;

export function isEventType(name: unknown): name is EventType {
  return typeof name === 'string' && Object.hasOwn(EVENT_TYPES, name);
}

export function describeEventType(name: EventType): EventTypeDescription {
  return EVENT_TYPES[name];
}
