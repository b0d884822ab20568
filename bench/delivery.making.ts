import { randomUUID } from 'node:crypto';
import { signDelivery } from '@tillkit/payments';
import { API_KEY } from './bench.account.js';
import { webhookBody } from '../test/support/deliver.js';

/** A webhook as it stands on the wire: signed, of about 1.2 kB, and like no other. */
export interface SignedDelivery {
  body: string;
  signature: string;
  /** By which a listener recognises it. */
  reference: string;
}

/** The fields that the platform documents come to 700 bytes; links and names of real ones are longer. */
const LINK = 'https://platform.invalid/api/v2/resources-of-a-till/'.padEnd(240, 'x');

export function makeDelivery(reference: string): SignedDelivery {
  const body = webhookBody(
    { reference, sender_middle_name: 'Wanjiru' },
    { _links: { self: `${LINK}/${randomUUID()}`, resource: `${LINK}/${randomUUID()}` } },
  );
  return { body, signature: signDelivery(body, API_KEY), reference };
}
