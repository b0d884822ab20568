/** Creates payments at a platform, with one of several clients. */
import { Agent } from 'node:http';
import { createRequire } from 'node:module';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { IncomingPaymentsService, PaymentsModule, PaymentsService } from '@tillkit/payments';
import { PostgresStoreModule } from '@tillkit/postgres';
import axios from 'axios';
import { TILL } from '../bench.constants.js';
import { accountOptions } from './payments.application.js';
import { host, settingsOf } from './subject.host.js';

export type ClientName = 'axios' | 'k2-connect-node' | 'bare' | 'request';

interface ClientSettings {
  client: ClientName;
  baseUrl: string;
  /** The database of stored payments; null: memory store. */
  databaseUrl: string | null;
}

type Create = (n: number) => Promise<unknown>;

const { client, baseUrl, databaseUrl } = settingsOf<ClientSettings>();
const CALLBACK_URL = 'https://merchant.invalid/callback';

/** Each payment has its own phone: the library refuses a second request to one phone for the same amount. */
function phoneOf(n: number): string {
  return `+2547${String(n % 1e8).padStart(8, '0')}`;
}

function wireOf(n: number): object {
  return {
    payment_channel: 'M-PESA STK Push',
    till_number: TILL,
    subscriber: { first_name: 'Jane', last_name: 'Doe', phone_number: phoneOf(n) },
    amount: { currency: 'KES', value: 100 },
    metadata: { orderId: String(n) },
    _links: { callback_url: CALLBACK_URL },
  };
}

function requestOf(n: number) {
  return {
    subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber: phoneOf(n) },
    amount: { currency: 'KES', value: '100.00' },
    metadata: { orderId: String(n) },
  };
}

function axiosAlone(): Create {
  const http = axios.create({
    baseURL: baseUrl,
    httpAgent: new Agent({ keepAlive: true, maxSockets: 50 }),
  });
  return (n) =>
    http.post('/api/v2/incoming_payments', wireOf(n), {
      headers: { Accept: 'application/json', Authorization: 'Bearer token-1' },
    });
}

async function peer(): Promise<Create> {
  interface Peer {
    TokenService: { getToken(): Promise<{ access_token: string }> };
    StkService: { initiateIncomingPayment(options: object): Promise<string> };
  }
  const connect = createRequire(import.meta.url)('k2-connect-node') as (options: object) => Peer;
  const { TokenService, StkService } = connect({
    clientId: 'bench-client-id',
    clientSecret: 'bench-client-secret',
    baseUrl,
    apiKey: 'bench-api-key',
  });
  const { access_token: accessToken } = await TokenService.getToken();
  return (n) =>
    StkService.initiateIncomingPayment({
      paymentChannel: 'M-PESA STK Push',
      tillNumber: TILL,
      firstName: 'Jane',
      lastName: 'Doe',
      phoneNumber: phoneOf(n),
      currency: 'KES',
      amount: 100,
      metadata: { orderId: String(n) },
      callbackUrl: CALLBACK_URL,
      accessToken,
    });
}

async function tillkit(): Promise<{ create: Create; close: () => Promise<void> }> {
  @Module({
    imports: [
      ...(databaseUrl === null
        ? []
        : [PostgresStoreModule.forRoot({ connectionString: databaseUrl })]),
      PaymentsModule.forRoot(accountOptions(baseUrl)),
    ],
  })
  class ClientModule {}
  const app = await NestFactory.createApplicationContext(ClientModule, { logger: ['error'] });
  const payments = app.get(PaymentsService);
  const incomingPayments = app.get(IncomingPaymentsService);
  const bare: Create = (n) =>
    incomingPayments.create({ ...requestOf(n), callbackUrl: CALLBACK_URL });
  const recorded: Create = async (n) => {
    const payment = await payments.request({ idempotencyKey: `order-${n}`, ...requestOf(n) });
    if (payment.state !== 'pending') throw new Error(`payment ${n} is ${payment.state}`);
  };
  return { create: client === 'bare' ? bare : recorded, close: () => app.close() };
}

/** Creates `count` payments with this concurrency. @returns the rate per second */
async function createMany(
  create: Create,
  { from, count, concurrency }: { from: number; count: number; concurrency: number },
): Promise<number> {
  let next = from;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (next < from + count) {
        next += 1;
        await create(next);
      }
    }),
  );
  return count / ((performance.now() - startedAt) / 1000);
}

if (client === 'axios' || client === 'k2-connect-node') {
  const create = client === 'axios' ? axiosAlone() : await peer();
  host({ createMany: (batch: Parameters<typeof createMany>[1]) => createMany(create, batch) });
} else {
  const { create, close } = await tillkit();
  host(
    { createMany: (batch: Parameters<typeof createMany>[1]) => createMany(create, batch) },
    close,
  );
}
