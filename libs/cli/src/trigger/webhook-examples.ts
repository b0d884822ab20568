import { createHash, randomUUID } from 'node:crypto';
import type { WebhookTopic } from '@tillkit/payments';

type Wire = Record<string, unknown>;

/** What examples have in common. */
export interface ExampleFacts {
  till: string;
  now: Date;
}

const PHONE = '+254700000001';
const SENDER = { sender_first_name: 'Jane', sender_middle_name: null, sender_last_name: 'Doe' };

/** `event.type`, the collection of `_links.resource`, and the fields of the resource, of each topic. */
const TOPICS: Record<
  WebhookTopic,
  { type: string; collection: string; resource: (facts: ExampleFacts) => Wire }
> = {
  buygoods_transaction_received: {
    type: 'Buygoods Transaction',
    collection: 'financial_transaction',
    resource: (facts) => buygoods(facts, 'Received'),
  },
  buygoods_transaction_reversed: {
    type: 'Buygoods Transaction',
    collection: 'financial_transaction',
    resource: (facts) => buygoods(facts, 'Reversed'),
  },
  b2b_transaction_received: {
    type: 'External Till to Till Transaction',
    collection: 'financial_transaction',
    resource: (facts) => ({ ...transaction(facts, 'Complete'), sending_till: 'Corner Shop' }),
  },
  b2b_transaction_reversed: {
    type: 'External Till To Till Reversal Transaction',
    collection: 'financial_transaction',
    resource: (facts) => ({ ...transaction(facts, 'Reversed'), sending_till: 'Corner Shop' }),
  },
  card_transaction_received: {
    type: 'Card Transaction',
    collection: 'financial_transaction',
    resource: (facts) => ({ ...card(facts, 'Received'), settled: false }),
  },
  card_transaction_voided: {
    type: 'Card Transaction',
    collection: 'financial_transaction',
    resource: (facts) => card(facts, 'Voided'),
  },
  card_transaction_reversed: {
    type: 'Card Transaction',
    collection: 'financial_transaction',
    resource: (facts) => card(facts, 'Reversed'),
  },
  customer_created: {
    type: 'Customer Created',
    collection: 'mobile_money_user',
    resource: () => ({
      first_name: 'Jane',
      middle_name: null,
      last_name: 'Doe',
      phone_number: PHONE,
    }),
  },
  settlement_transfer_completed: {
    type: 'Settlement Transfer',
    collection: 'transfer_batch',
    resource: ({ now }) => ({
      id: randomUUID(),
      ...money('Transferred', now),
      destination: {
        type: 'Bank Account',
        resource: {
          reference: randomUUID(),
          account_name: 'Corner Shop',
          account_number: '0000000000',
          bank_branch_ref: randomUUID(),
          settlement_method: 'EFT',
        },
      },
      disbursements: [
        {
          amount: '100.0',
          status: 'Transferred',
          origination_time: now.toISOString(),
          transaction_reference: exampleReference(),
        },
      ],
    }),
  },
  m2m_transaction_received: {
    type: 'Merchant to Merchant Transaction',
    collection: 'payment_batches',
    resource: ({ now }) => ({
      id: randomUUID(),
      ...money('Received', now),
      sending_merchant: 'Corner Shop',
    }),
  },
};

/** A webhook of a topic, as the platform posts it. */
export function exampleWebhook(topic: WebhookTopic, facts: ExampleFacts): Wire {
  const { type, collection, resource } = TOPICS[topic];
  const id = randomUUID();
  const shown = resource(facts);
  return {
    topic,
    id,
    created_at: facts.now.toISOString(),
    event: { type, resource: shown },
    _links: {
      self: `https://platform.invalid/webhook_events/${id}`,
      resource: `https://platform.invalid/${collection}/${(shown['id'] as string | undefined) ?? randomUUID()}`,
    },
  };
}

/** A transaction of a customer at a till. */
export function buygoods(facts: ExampleFacts, status: string): Wire {
  return {
    ...transaction(facts, status),
    ...SENDER,
    sender_phone_number: PHONE,
    hashed_sender_phone: createHash('sha256').update(PHONE.slice(1)).digest('hex'),
  };
}

function transaction({ till, now }: ExampleFacts, status: string): Wire {
  return {
    id: randomUUID(),
    ...money(status, now),
    system: 'Lipa Na M-PESA',
    reference: exampleReference(),
    till_number: till,
  };
}

function card(facts: ExampleFacts, status: string): Wire {
  const { id: _id, system: _system, ...shown } = transaction(facts, status);
  return { ...shown, customer_cc_number: '411111******1111' };
}

function money(status: string, now: Date): Wire {
  return { amount: '100.0', currency: 'KES', status, origination_time: now.toISOString() };
}

/** A reference that no transaction has. */
export function exampleReference(): string {
  return randomUUID().replaceAll('-', '').slice(0, 10).toUpperCase();
}
