/** A minimal platform: it answers and counts requests and stores nothing. All clients use the same one. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { host, settingsOf } from './subject.host.js';

export interface PlatformCounts {
  tokens: number;
  creates: number;
  reads: number;
}

interface PlatformSettings {
  /** Latency of a token request in milliseconds. */
  tokenMs?: number;
  /** Number of transactions in a polling result. Without it, there is no polling result. */
  transactions?: number;
}

const { tokenMs = 0, transactions } = settingsOf<PlatformSettings>();
const counts: PlatformCounts = { tokens: 0, creates: 0, reads: 0 };
/** Pollings that the library's sweeps create. They are not counted: whether one falls into a measurement is chance. */
let sweeps = 0;
const polling = transactions === undefined ? null : Buffer.from(pollingText(transactions));

const server = createServer((request, response) => {
  request.resume().once('end', () => answer(request, response));
});
server.keepAliveTimeout = 60_000;

function answer({ method, url = '' }: IncomingMessage, response: ServerResponse): void {
  if (url === '/oauth/token') sendToken(response);
  else if (method === 'POST') {
    const id = url.endsWith('/polling') ? `sweep-${(sweeps += 1)}` : `${(counts.creates += 1)}`;
    response.writeHead(201, { location: `http://127.0.0.1${url}/created-${id}` }).end();
  } else {
    counts.reads += 1;
    const body = url.includes('/polling/') ? polling : Buffer.from(pendingPayment(url));
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  }
}

function sendToken(response: ServerResponse): void {
  counts.tokens += 1;
  const body = JSON.stringify({
    access_token: `token-${counts.tokens}`,
    token_type: 'Bearer',
    expires_in: 3600,
    created_at: Math.floor(Date.now() / 1000),
  });
  setTimeout(
    () => response.writeHead(200, { 'content-type': 'application/json' }).end(body),
    tokenMs,
  );
}

function pendingPayment(url: string): string {
  const id = url.slice(url.lastIndexOf('/') + 1);
  return JSON.stringify({
    data: {
      id,
      type: 'incoming_payment',
      attributes: {
        initiation_time: new Date().toISOString(),
        status: 'Pending',
        event: { type: 'Incoming Payment Request', resource: null, errors: null },
        metadata: {},
        _links: {
          callback_url: 'https://merchant.invalid/callback',
          self: 'https://platform.invalid/self',
        },
      },
    },
  });
}

function pollingText(count: number): string {
  return JSON.stringify({
    data: {
      id: 'polling-1',
      type: 'polling',
      attributes: {
        status: 'Success',
        from_time: '2026-01-01T00:00:00+03:00',
        to_time: '2026-01-01T01:00:00+03:00',
        scope: 'company',
        scope_reference: '',
        transactions: Array.from({ length: count }, (_, n) => ({
          type: 'Buygoods Transaction',
          resource: {
            id: `8f1d6c2e-7f53-4c3a-9d0e-${String(n).padStart(12, '0')}`,
            amount: `${(n % 5000) + 1}.0`,
            status: 'Received',
            system: 'Lipa Na M-PESA',
            currency: 'KES',
            reference: `REF${n}`,
            till_number: '514459',
            origination_time: '2026-01-01T00:30:00+03:00',
            sender_first_name: 'Jane',
            sender_middle_name: null,
            sender_last_name: 'Doe',
            sender_phone_number: '+254700000099',
          },
        })),
        _links: {
          callback_url: 'https://merchant.invalid/callback',
          self: 'https://platform.invalid/self',
        },
      },
    },
  });
}

await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
host({
  url: () => `http://127.0.0.1:${port}`,
  counts: () => counts,
  pollingBytes: () => polling?.length,
});
