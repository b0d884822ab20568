/** A minimal platform: it answers and counts requests and stores nothing. All clients use the same one. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { host } from './subject.host.js';

export interface PlatformCounts {
  tokens: number;
  creates: number;
}

const counts: PlatformCounts = { tokens: 0, creates: 0 };
/** Pollings that the library's sweeps create. They are not counted: whether one falls into a measurement is chance. */
let sweeps = 0;

const server = createServer((request, response) => {
  request.resume().once('end', () => answer(request, response));
});

function answer({ method, url = '' }: IncomingMessage, response: ServerResponse): void {
  if (url === '/oauth/token') sendToken(response);
  else if (method === 'POST') {
    const id = url.endsWith('/polling') ? `sweep-${(sweeps += 1)}` : `${(counts.creates += 1)}`;
    response.writeHead(201, { location: `http://127.0.0.1${url}/created-${id}` }).end();
  } else {
    const body = url.includes('/polling/') ? emptyPolling() : pendingPayment(url);
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
  response.writeHead(200, { 'content-type': 'application/json' }).end(body);
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

function emptyPolling(): string {
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
        transactions: [],
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
});
