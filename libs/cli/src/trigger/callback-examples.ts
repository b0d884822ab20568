import { randomUUID } from 'node:crypto';
import type { CallbackResource } from '@tillkit/payments/internal/tools';
import { sampleReference, sampleResource } from '@tillkit/simulator/internal/examples';

type Wire = Record<string, unknown>;

interface ExampleFacts {
  till: string;
  now: Date;
}

/** `data.type`, the path of the resource and its attributes, for the result of each kind of request. */
const RESULTS: Record<
  CallbackResource,
  { type: string; path: string; attributes: (facts: ExampleFacts) => Wire }
> = {
  'incoming-payments': {
    type: 'incoming_payment',
    path: 'api/v2/incoming_payments',
    attributes: (facts) => {
      const { hashed_sender_phone: _hash, ...resource } = transaction(facts);
      return {
        initiation_time: facts.now.toISOString(),
        status: 'Success',
        event: { type: 'Incoming Payment Request', resource, errors: null },
        metadata: {},
      };
    },
  },
  polling: {
    type: 'polling',
    path: 'api/v2/polling',
    attributes: (facts) => ({
      status: 'Success',
      created_at: facts.now.toISOString(),
      from_time: new Date(facts.now.getTime() - 3_600_000).toISOString(),
      to_time: facts.now.toISOString(),
      transactions: [{ type: 'Buygoods Transaction', resource: transaction(facts) }],
      scope: 'Company',
      scope_reference: null,
    }),
  },
  'sms-notifications': {
    type: 'transaction_sms_notification',
    path: 'api/v1/transaction_sms_notifications',
    attributes: () => ({
      status: 'Success',
      message: 'Asante!',
      webhook_event_reference: randomUUID(),
    }),
  },
  'send-money': {
    type: 'send_money',
    path: 'api/v2/send_money',
    attributes: (facts) => ({
      ...processed(facts),
      source_identifier: null,
      currency: 'KES',
      destinations: [{ type: 'till', till_number: '000124', amount: 100, description: 'Example' }],
      transfer_batches: [
        {
          status: 'Transferred',
          amount: '100.0',
          disbursements: [
            {
              ...disbursement(facts, 'till'),
              errors: null,
              till_number: '000124',
            },
          ],
        },
      ],
      metadata: {},
    }),
  },
  reversals: {
    type: 'reversal',
    path: 'api/v2/reversals',
    attributes: (facts) => ({
      ...processed(facts),
      transaction_reference: sampleReference(),
      reason: 'Example',
      reversal_bulk_payment: {
        amount: '100.0',
        status: 'Transferred',
        origination_time: facts.now.toISOString(),
        transaction_reference: sampleReference(),
      },
      metadata: {},
    }),
  },
  'payment-links': {
    type: 'payment_link',
    path: 'api/v2/payment_links',
    attributes: (facts) => ({
      ...processed(facts),
      till_name: 'Corner Shop',
      till_number: facts.till,
      currency: 'KES',
      amount: '100.0',
      payment_reference: 'Example',
      note: null,
      payment_link: {
        status: 'Paid',
        link: 'https://platform.invalid/pay/example',
        expires_at: new Date(facts.now.getTime() + 7 * 86_400_000).toISOString(),
        transaction_reference: sampleReference(),
        sender_phone_number: '+254700000001',
        origination_time: facts.now.toISOString(),
      },
      metadata: {},
    }),
  },
  'settlement-transfers': {
    type: 'settlement_transfer',
    path: 'api/v1/settlement_transfers',
    attributes: (facts) => olderTransfer(facts, 'Bank Account'),
  },
  pay: {
    type: 'payment',
    path: 'api/v1/payments',
    attributes: (facts) => ({ ...olderTransfer(facts, 'Till'), metadata: {} }),
  },
};

/** Returns the result of a request, as the platform posts it to a callback URL. */
export function exampleCallback(
  resource: CallbackResource,
  callbackUrl: string,
  facts: ExampleFacts,
): Wire {
  const { type, path, attributes } = RESULTS[resource];
  const id = randomUUID();
  const links = { callback_url: callbackUrl, self: `https://platform.invalid/${path}/${id}` };
  return { data: { id, type, attributes: { ...attributes(facts), _links: links } } };
}

function transaction({ till, now }: ExampleFacts): Wire {
  return sampleResource('buygoods_transaction_received', till, now.getTime());
}

function processed({ now }: ExampleFacts): Wire {
  return { status: 'Processed', created_at: now.toISOString(), errors: null };
}

function disbursement({ now }: ExampleFacts, type: string): Wire {
  return {
    amount: '100.0',
    status: 'Transferred',
    destination_type: type,
    origination_time: now.toISOString(),
    destination_reference: randomUUID(),
    transaction_reference: sampleReference(),
  };
}

function olderTransfer(facts: ExampleFacts, type: string): Wire {
  return {
    status: 'Processed',
    created_at: facts.now.toISOString(),
    amount: { currency: 'KES', value: 100 },
    transfer_batches: [{ status: 'Transferred', disbursements: [disbursement(facts, type)] }],
  };
}
