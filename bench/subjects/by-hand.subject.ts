/**
 * A merchant without Tillkit: `k2-connect-node` on Express and statements of its own. With `durable`, it keeps some of what Tillkit
 * promises: a delivery is stored before its answer, a duplicate is known, and an outbox makes the effects.
 */
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import express, { type Request, type Response } from 'express';
import type { PoolClient } from 'pg';
import { signDelivery } from '@tillkit/payments';
import { API_KEY, TILL } from '../bench.constants.js';
import { CONNECTIONS, countedPool } from './counted.pool.js';
import { Orders, type Ask, type Many, type Paced } from './orders.js';
import { host, settingsOf } from './subject.host.js';

interface Peer {
  TokenService: { getToken(): Promise<{ access_token: string }> };
  StkService: { initiateIncomingPayment(options: object): Promise<string> };
  Webhooks: { webhookHandler(request: Request, response: Response): Promise<Delivery> };
}

interface Transaction {
  reference: string;
  amount: string;
  sender_phone_number: string;
}

/** The bodies of a webhook and of a result, as far as they are used. */
type Delivery =
  | { event: { resource: Transaction } }
  | { data: { attributes: { status: string; event: { resource: Transaction } } } };

const { databaseUrl, baseUrl, durable } = settingsOf<{
  databaseUrl: string;
  baseUrl: string;
  durable: boolean;
}>();
const { pool, statements } = countedPool(databaseUrl, CONNECTIONS);
const orders = new Orders(pool);
await orders.create();
const connect = createRequire(import.meta.url)('k2-connect-node') as (options: object) => Peer;
const { TokenService, StkService, Webhooks } = connect({
  clientId: 'bench-client-id',
  clientSecret: 'bench-client-secret',
  baseUrl,
  apiKey: API_KEY,
});
const { access_token: accessToken } = await TokenService.getToken();

function create({ id, phoneNumber }: Parameters<Ask>[0]): Promise<string> {
  return StkService.initiateIncomingPayment({
    paymentChannel: 'M-PESA STK Push',
    tillNumber: TILL,
    firstName: 'Jane',
    lastName: 'Doe',
    phoneNumber,
    currency: 'KES',
    amount: 100,
    callbackUrl: `http://merchant.invalid/payments/callbacks/${id}`,
    accessToken,
  });
}

async function markPaid(client: Pick<PoolClient, 'query'>, id: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `update shop_order set state = 'paid', paid_at = now() where id = $1 and state <> 'paid'`,
    [id],
  );
  return rowCount === 1;
}

async function insertTransaction(
  client: Pick<PoolClient, 'query'>,
  { reference, amount, sender_phone_number }: Transaction,
): Promise<boolean> {
  const { rowCount } = await client.query(
    'insert into shop_transaction (reference, amount, phone) values ($1, $2, $3) on conflict do nothing',
    [reference, amount, sender_phone_number],
  );
  return rowCount === 1;
}

function simple(app: express.Express): Ask {
  app.use(express.json());
  app.post('/payments/callbacks/:id', (request, response) => {
    void Webhooks.webhookHandler(request, response).then(async () => {
      const { id } = request.params;
      if (await markPaid(pool, id)) orders.paid(id);
    });
  });
  app.post('/payments/webhooks', (request, response) => {
    void Webhooks.webhookHandler(request, response).then(async (delivery) => {
      if ('event' in delivery && (await insertTransaction(pool, delivery.event.resource)))
        orders.received();
    });
  });
  return async (order) => {
    await orders.insert(order);
    const location = await create(order);
    await pool.query('update shop_order set location = $2 where id = $1', [order.id, location]);
  };
}

const DURABLE_TABLES = `
create table if not exists payment (id text primary key, state text not null, location text, reference text);
create table if not exists inbox (
  key text primary key, name text not null, body jsonb not null, at timestamptz not null default now(), done boolean not null default false);
create index if not exists inbox_open on inbox (at) where not done;
create table if not exists outbox (id bigint generated always as identity primary key, effect text not null, subject jsonb not null)`;

const OUTBOX_BATCH = 20;
const OUTBOX_IDLE_MS = 500;

async function withDurability(app: express.Express): Promise<Ask> {
  await pool.query(DURABLE_TABLES);
  let wake: () => void = () => undefined;
  let awake = false;

  async function transaction(work: (client: PoolClient) => Promise<void>): Promise<void> {
    const client = await pool.connect();
    try {
      await client.query('begin');
      await work(client);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  }

  /** Commits in one transaction the new state, its effect in the outbox, and the end of the delivery. */
  async function process(key: string, name: string, delivery: Delivery): Promise<void> {
    await transaction(async (client) => {
      if ('event' in delivery) {
        await enqueue(client, 'transaction', delivery.event.resource);
      } else {
        const { status, event } = delivery.data.attributes;
        const { rowCount } = await client.query(
          `update payment set state = $2, reference = $3 where id = $1 and state = 'pending'`,
          [name, status === 'Success' ? 'paid' : 'failed', event.resource.reference],
        );
        if (rowCount === 1) await enqueue(client, 'paid', { id: name });
      }
      await client.query('update inbox set done = true where key = $1', [key]);
    });
    awake = true;
    wake();
  }

  async function enqueue(client: PoolClient, effect: string, subject: object): Promise<void> {
    await client.query('insert into outbox (effect, subject) values ($1, $2)', [
      effect,
      JSON.stringify(subject),
    ]);
  }

  /** Makes the effects of the outbox, some at a time, each once: its row is deleted in the same transaction. */
  async function drainOutbox(): Promise<void> {
    for (;;) {
      awake = false;
      const done: (() => void)[] = [];
      await transaction(async (client) => {
        const { rows } = await client.query<{ effect: string; subject: never }>(
          `delete from outbox where id in (
             select id from outbox order by id limit ${OUTBOX_BATCH} for update skip locked)
           returning effect, subject`,
        );
        for (const { effect, subject } of rows) {
          if (effect === 'paid') {
            const { id } = subject as { id: string };
            if (await markPaid(client, id)) done.push(() => orders.paid(id));
          } else if (await insertTransaction(client, subject)) done.push(() => orders.received());
        }
      });
      for (const end of done) end();
      if (done.length > 0 || awake) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, OUTBOX_IDLE_MS).unref();
      });
    }
  }

  async function receive(name: string, request: Request, response: Response): Promise<void> {
    const body = request.body as Buffer;
    if (signDelivery(body, API_KEY) !== request.get('x-kopokopo-signature')) {
      response.sendStatus(401);
      return;
    }
    const key = createHash('sha256').update(body).digest('hex');
    const { rowCount } = await pool.query(
      'insert into inbox (key, name, body) values ($1, $2, $3) on conflict do nothing',
      [key, name, body.toString()],
    );
    response.sendStatus(200);
    if (rowCount === 1) await process(key, name, JSON.parse(body.toString()) as Delivery);
  }

  app.use(express.raw({ type: 'application/json' }));
  app.post('/payments/callbacks/:id', (request, response) => {
    void receive(request.params.id, request, response);
  });
  app.post('/payments/webhooks', (request, response) => {
    void receive('webhook', request, response);
  });
  void drainOutbox();
  await sleep(0);
  return async (order) => {
    await orders.insert(order);
    await pool.query(`insert into payment (id, state) values ($1, 'pending')`, [order.id]);
    const location = await create(order);
    await pool.query('update payment set location = $2 where id = $1', [order.id, location]);
  };
}

const app = express();
const ask = durable ? await withDurability(app) : simple(app);
const server = app.listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const { port } = server.address() as AddressInfo;
host({
  url: () => `http://127.0.0.1:${port}`,
  payMany: (many: Many) => orders.payMany(ask, many),
  payPaced: (paced: Paced) => orders.payPaced(ask, paced),
  statements,
  cpu: () => process.cpuUsage(),
});
