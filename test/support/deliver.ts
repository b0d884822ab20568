import { randomUUID } from 'node:crypto';
import { signDelivery } from '@tillkit/payments';

export interface Answer {
  status: number;
  type: string | null;
  retryAfter: string | null;
  text: string;
}

/** Posts a delivery, signed or not. */
export async function deliver(
  url: string,
  body: Buffer | string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    body: typeof body === 'string' ? body : new Uint8Array(body),
    headers: { 'content-type': 'application/json', ...headers },
  });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    retryAfter: response.headers.get('retry-after'),
    text: await response.text(),
  };
}

/** Posts a delivery that is signed with an API key. */
export function deliverSigned(
  url: string,
  body: Buffer | string,
  apiKey: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return deliver(url, body, { 'x-kopokopo-signature': signDelivery(body, apiKey), ...headers });
}

/** Returns the body of a `buygoods_transaction_received` webhook. */
export function webhookBody(
  changes: Record<string, unknown> = {},
  envelope: Record<string, unknown> = {},
): string {
  return JSON.stringify({
    topic: 'buygoods_transaction_received',
    id: randomUUID(),
    created_at: new Date().toISOString(),
    event: {
      type: 'Buygoods Transaction',
      resource: {
        id: randomUUID(),
        amount: '100.0',
        status: 'Received',
        system: 'Lipa Na M-PESA',
        currency: 'KES',
        reference: `REF${Math.floor(Math.random() * 1e9)}`,
        till_number: '514459',
        origination_time: new Date().toISOString(),
        sender_first_name: 'Jane',
        sender_middle_name: null,
        sender_last_name: 'Doe',
        sender_phone_number: '+254700000099',
        ...changes,
      },
    },
    _links: { self: 'https://platform.invalid/x', resource: 'https://platform.invalid/y' },
    ...envelope,
  });
}

/** Returns the body of an incoming payment's result. */
export function resultBody(
  id: string,
  callbackUrl: string,
  attributes: Record<string, unknown> = {},
  resource: Record<string, unknown> | null = {},
): string {
  return JSON.stringify({
    data: {
      id,
      type: 'incoming_payment',
      attributes: {
        initiation_time: new Date().toISOString(),
        status: 'Success',
        event: {
          type: 'Incoming Payment Request',
          resource: resource && {
            id: randomUUID(),
            reference: `REF${Math.floor(Math.random() * 1e9)}`,
            origination_time: new Date().toISOString(),
            sender_phone_number: '+254700000001',
            amount: '100.0',
            currency: 'KES',
            till_number: '514459',
            system: 'Lipa Na M-PESA',
            status: 'Received',
            sender_first_name: 'Jane',
            sender_middle_name: null,
            sender_last_name: 'Doe',
            ...resource,
          },
          errors: null,
        },
        metadata: {},
        _links: { callback_url: callbackUrl, self: 'https://platform.invalid/self' },
        ...attributes,
      },
    },
  });
}
