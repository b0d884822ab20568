/**
 * A platform whose customers pay: it answers a create, and after a random time posts the signed result and the signed webhook, in
 * any order. It stores nothing.
 */
import { randomUUID } from 'node:crypto';
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { signDelivery } from '@tillkit/payments';
import { API_KEY } from '../bench.constants.js';
import { resultBody, webhookBody } from '../../test/support/deliver.js';
import { host, settingsOf } from './subject.host.js';

interface Create {
  subscriber: { phone_number: string };
  amount: { value: string | number };
  _links: { callback_url: string };
}

/** A delivery comes at most this long after the answer to the create, in milliseconds. */
const { withinMs } = settingsOf<{ withinMs: number }>();
const AGAIN_MS = 200;

let creates = 0;
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
let origins: readonly string[] = [];
let turn = 0;

const server = createServer((incoming, response) => {
  const chunks: Buffer[] = [];
  incoming
    .on('data', (chunk: Buffer) => chunks.push(chunk))
    .once('end', () => answer(incoming, Buffer.concat(chunks), response));
});

function answer(
  { method, url = '' }: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): void {
  if (method === 'POST' && url.endsWith('/incoming_payments')) {
    creates += 1;
    const id = randomUUID();
    const create = JSON.parse(body.toString()) as Create;
    response.once('close', () => pay(id, create));
    response.writeHead(201, { location: `http://127.0.0.1${url}/${id}` }).end();
    return;
  }
  // Only the token is needed. Other reads, such as that of the clock, use no more than the headers.
  const token = {
    access_token: 'token',
    token_type: 'Bearer',
    expires_in: 3600,
    created_at: Math.floor(Date.now() / 1000),
  };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(token));
}

/** The customer pays: the result goes to the callback URL of the create, the webhook to the subscribed URL. */
function pay(id: string, { subscriber, amount, _links }: Create): void {
  const transaction = {
    id: randomUUID(),
    reference: `REF${creates}T${process.pid}`,
    amount: String(amount.value),
    sender_phone_number: subscriber.phone_number,
  };
  const { pathname } = new URL(_links.callback_url);
  void deliver(pathname, resultBody(id, _links.callback_url, {}, transaction));
  void deliver('/payments/webhooks', webhookBody(transaction));
}

async function deliver(path: string, body: string): Promise<void> {
  const signature = signDelivery(body, API_KEY);
  await sleep(Math.random() * withinMs);
  while (!(await post(path, body, signature))) await sleep(AGAIN_MS);
}

/** Posts to the next process of the merchant. Resolves with whether the answer was 2xx. */
function post(path: string, body: string, signature: string): Promise<boolean> {
  turn += 1;
  const origin = origins[turn % origins.length] as string;
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-kopokopo-signature': signature,
  };
  return new Promise((resolve) => {
    request(`${origin}${path}`, { method: 'POST', agent, headers }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode === 200));
    })
      .once('error', () => resolve(false))
      .end(body);
  });
}

await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
host({
  url: () => `http://127.0.0.1:${port}`,
  deliverTo: (given: readonly string[]) => {
    origins = given;
  },
});
