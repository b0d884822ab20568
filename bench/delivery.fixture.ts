import { randomUUID } from 'node:crypto';
import { signDelivery } from '@tillkit/payments';
import { API_KEY } from './bench.constants.js';
import { webhookBody } from '../test/support/deliver.js';

/** A signed webhook of about 1.2 kB. Each is different. */
export interface SignedDelivery {
  body: string;
  signature: string;
  /** Identifies the delivery in a listener. */
  reference: string;
}

/** The documented fields have 700 bytes. Real webhooks have longer links and names. */
const LINK = 'https://platform.invalid/api/v2/resources-of-a-till/'.padEnd(240, 'x');

export function makeDelivery(reference: string): SignedDelivery {
  const body = webhookBody(
    { reference, sender_middle_name: 'Wanjiru' },
    { _links: { self: `${LINK}/${randomUUID()}`, resource: `${LINK}/${randomUUID()}` } },
  );
  return { body, signature: signDelivery(body, API_KEY), reference };
}
