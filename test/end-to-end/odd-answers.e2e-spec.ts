import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  IncomingPaymentsService,
  MemoryStore,
  PollingService,
  StoreUnavailableError,
  SweepSchedule,
  TokensService,
  type PaymentsOptions,
} from '@tillkit/payments';
import { aRequest, aRequestFrom, Merchant } from '../support/merchant.js';
import { freePort, PLATFORMS, type Platform } from '../support/platforms.js';

const [platform] = PLATFORMS as [Platform, Platform];

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Handler =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };

const created = (id: string): Handler =>
  json(201, {}, { location: `https://platform.invalid/api/v2/incoming_payments/${id}` });

const token = (changes: object = {}): Handler =>
  json(200, { access_token: 'a-token', token_type: 'bearer', expires_in: 3_600, ...changes });

/** A platform that answers what a test says, and nothing that its contract says. */
class OddPlatform {
  readonly asked: string[] = [];
  private readonly answers = new Map<string, Handler[]>();

  private constructor(private readonly server: Server) {}

  static async open(): Promise<OddPlatform> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const odd = new OddPlatform(server);
    server.on('request', (request, response) => odd.answer(request, response));
    odd.on('POST /oauth/token', token());
    return odd;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Answers in turn; the last one is repeated. */
  on(route: string, ...answers: Handler[]): void {
    this.answers.set(route, answers);
  }

  count(route: string): number {
    return this.asked.filter((asked) => asked === route).length;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const route = `${request.method} ${request.url}`;
    this.asked.push(route);
    request.resume().on('end', () => {
      const answers = this.answers.get(route) ?? [json(404, {})];
      const [next] = answers.length > 1 ? answers.splice(0, 1) : answers;
      next?.(request, response);
    });
  }
}

const CREATE = 'POST /api/v2/incoming_payments';
const TOKEN = 'POST /oauth/token';

describe('a platform that answers oddly', () => {
  let odd: OddPlatform;
  let merchant: Merchant;

  const open = async (payments: PaymentsOptions = {}): Promise<Merchant> => {
    merchant = await Merchant.open({
      platform,
      payments: {
        baseUrl: odd.url,
        clientId: 'an-id',
        clientSecret: 'a-secret',
        sending: { sendBeforeMs: 1_000 },
        reconciliation: false,
        ...payments,
      },
    });
    return merchant;
  };

  beforeEach(async () => {
    odd = await OddPlatform.open();
  });
  afterEach(async () => {
    await merchant.close();
    await odd.close();
  });

  describe('to a create', () => {
    it.each([405, 409, 410, 418, 500])(
      'with %i may have prompted: the payment is unknown',
      async (status) => {
        odd.on(CREATE, json(status, {}));
        const { payments } = await open();
        expect(await payments.request(aRequest())).toMatchObject({ state: 'unknown' });
        expect(odd.count(CREATE)).toBe(1);
      },
    );

    it.each([
      ['that ends in no id', '/api/v2/incoming_payments/one%2ftwo'],
      ['that is no URL', 'http://['],
      ['that is empty', ''],
    ])('with a Location %s leaves the payment unknown', async (_, location) => {
      odd.on(CREATE, json(201, {}, { location }));
      const { payments } = await open();
      expect(await payments.request(aRequest())).toMatchObject({
        state: 'unknown',
        platformId: null,
      });
    });

    it.each([400, 403, 404, 422])('with %i refuses it', async (status) => {
      odd.on(CREATE, json(status, { error_message: 'No such till' }));
      const { payments } = await open();
      expect(await payments.request(aRequest())).toMatchObject({
        state: 'failed',
        reason: 'rejected',
        errors: [expect.stringContaining('No such till')],
      });
    });

    it('with 401 twice has not processed it', async () => {
      odd.on(CREATE, json(401, {}));
      const { payments } = await open();
      expect(await payments.request(aRequest())).toMatchObject({
        state: 'failed',
        reason: 'not_sent',
      });
      expect(odd.count(CREATE)).toBe(2);
    });

    it('with 401 and then a token that is nonsense has not processed it', async () => {
      odd.on(CREATE, json(401, {}));
      odd.on(TOKEN, token(), json(200, { access_token: 'a\ntoken', expires_in: 60 }));
      const { payments } = await open();
      const payment = await payments.request(aRequest());
      expect(payment).toMatchObject({ state: 'failed', reason: 'not_sent' });
      expect(payment.errors.join()).toContain('access_token cannot be used');
    });

    it('with 401 and then a token that comes too late has not processed it', async () => {
      odd.on(CREATE, json(401, {}));
      odd.on(TOKEN, token(), (request, response) => {
        setTimeout(() => token({ access_token: 'another' })(request, response), 300);
      });
      const { payments } = await open({ sending: { sendBeforeMs: 200 } });
      const payment = await payments.request(aRequest());
      expect(payment).toMatchObject({ state: 'failed', reason: 'not_sent' });
      expect(payment.errors.join()).toContain('its time was over');
      expect(odd.count(CREATE)).toBe(1);
    });

    it('with 429 and no Retry-After is asked again, once it is certain that nobody was prompted', async () => {
      odd.on(CREATE, json(429, {}), created('one'));
      const { payments } = await open({ sending: { sendBeforeMs: 5_000 } });
      expect(await payments.request(aRequest())).toMatchObject({
        state: 'pending',
        platformId: 'one',
      });
      expect(odd.count(CREATE)).toBe(2);
    });
  });

  it('to nothing, while the application closes, leaves a payment unsent for the next start', async () => {
    const { payments } = await open({
      baseUrl: `http://127.0.0.1:${await freePort()}`,
      sending: { sendBeforeMs: 60_000 },
    });
    const requested = payments.request(aRequest());
    await new Promise((resolve) => setTimeout(resolve, 50));
    await merchant.app.close();
    expect(await requested).toMatchObject({ state: 'created' });
  });

  describe('while the store is away', () => {
    /** A store that is away for the first few times that an answer is to be kept. */
    class AwayStore extends MemoryStore {
      away = 2;
      fault: Error = new StoreUnavailableError('it is away');

      override async commit(...args: Parameters<MemoryStore['commit']>): Promise<Date | null> {
        if (args[0].payment?.set.platformId && this.away > 0) {
          this.away -= 1;
          throw this.fault;
        }
        return super.commit(...args);
      }
    }

    it('has its answer kept as soon as the store is back', async () => {
      odd.on(CREATE, created('one'));
      const { payments } = await open({ store: new AwayStore() });
      expect(await payments.request(aRequest())).toMatchObject({
        state: 'pending',
        platformId: 'one',
      });
      expect(odd.count(CREATE)).toBe(1);
    });

    it('has its answer given up when the application closes: the payment is found later', async () => {
      odd.on(CREATE, created('one'));
      const store = new AwayStore();
      store.away = 1_000;
      const { payments } = await open({ store });
      const input = aRequest();
      const requested = payments.request(input).catch((error: unknown) => error);
      while (store.away > 999) await new Promise((resolve) => setTimeout(resolve, 5));
      await merchant.app.close();
      expect(await requested).toBeInstanceOf(StoreUnavailableError);
      expect(await payments.findByIdempotencyKey(input.idempotencyKey)).toMatchObject({
        state: 'requested',
      });
    });
  });

  describe('to a token request', () => {
    it.each([
      ['no object', [1], /not a JSON object/],
      [
        'another kind of token',
        { access_token: 'x', token_type: 'mac', expires_in: 5 },
        /token_type/,
      ],
      ['no life', { access_token: 'x', expires_in: 0 }, /expires_in/],
    ])('with %s says what cannot be used', async (_, body, words) => {
      odd.on(TOKEN, json(200, body));
      await open();
      await expect(merchant.app.get(TokensService).get()).rejects.toThrow(words);
    });

    it('that another replica makes is waited for, and its token used', async () => {
      const store = new MemoryStore();
      await open({ store });
      await merchant.app.get(TokensService).get();
      const shared = (await store.readToken('default')) as { sealed: Buffer };
      await merchant.close();
      await store.clearToken('default');
      await store.claimTokenRenewal('default', 'another replica', 60_000);

      await open({ store });
      const got = merchant.app.get(TokensService).get();
      await new Promise((resolve) => setTimeout(resolve, 120));
      await store.saveToken('default', 'another replica', shared.sealed, 60_000);
      expect(await got).toBe('a-token');
      expect(odd.count(TOKEN)).toBe(1);
    });

    it('that another replica never finishes ends in one clear error', async () => {
      const store = new MemoryStore();
      await store.claimTokenRenewal('default', 'another replica', 60_000);
      await open({ store, http: { tokenTimeoutMs: 30 } });
      await expect(merchant.app.get(TokensService).get()).rejects.toThrow(
        /another replica did not finish its renewal/,
      );
      expect(odd.count(TOKEN)).toBe(0);
    });
  });

  describe('to a read', () => {
    it.each([
      ['another id', { id: 'two', type: 'incoming_payment', attributes: {} }, /another resource/],
      ['another type', { id: 'one', type: 'polling', attributes: {} }, /its type is not/],
      ['no attributes', { id: 'one', type: 'incoming_payment' }, /no resource with id/],
    ])('with %s is not taken', async (_, data, words) => {
      odd.on('GET /api/v2/incoming_payments/one', json(200, { data }));
      await open();
      await expect(merchant.app.get(IncomingPaymentsService).get('one')).rejects.toThrow(words);
    });

    it('of a window with Failed is an error: half a list would look like missing money', async () => {
      odd.on('POST /api/v2/polling', json(201, {}, { location: '/api/v2/polling/one' }));
      odd.on(
        'GET /api/v2/polling/one',
        json(404, {}),
        json(200, { data: { id: 'one', type: 'polling', attributes: { status: 'Pending' } } }),
        json(200, { data: { id: 'one', type: 'polling', attributes: { status: 'Failed' } } }),
      );
      const { payments } = await open();
      const window = { from: new Date(Date.now() - 60_000), to: new Date() };
      await expect(payments.reconcile(window)).rejects.toThrow(/read polling window.*it failed/);
      expect(odd.count('GET /api/v2/polling/one')).toBe(3);
    });

    it('of a window that is refused is an error', async () => {
      odd.on('POST /api/v2/polling', json(201, {}, { location: '/api/v2/polling/one' }));
      odd.on('GET /api/v2/polling/one', json(403, {}));
      const { payments } = await open();
      const window = { from: new Date(Date.now() - 60_000), to: new Date() };
      await expect(payments.reconcile(window)).rejects.toMatchObject({ status: 403 });
    });

    it('of a window while the application closes is an error, and waits no longer', async () => {
      odd.on('POST /api/v2/polling', json(201, {}, { location: '/api/v2/polling/one' }));
      const { payments } = await open();
      const window = { from: new Date(Date.now() - 60_000), to: new Date() };
      const report = payments.reconcile(window).catch((error: unknown) => error);
      while (odd.count('POST /api/v2/polling') === 0)
        await new Promise((resolve) => setTimeout(resolve, 5));
      await merchant.app.close();
      expect(await report).toMatchObject({ code: expect.stringMatching(/^PAYMENTS_/) });
    });

    it('of transactions that are no list lists nothing', async () => {
      const attributes = { status: 'Success', transactions: 'none' };
      odd.on(
        'GET /api/v2/polling/one',
        json(200, { data: { id: 'one', type: 'polling', attributes } }),
      );
      await open();
      expect((await merchant.app.get(PollingService).get('one')).transactions).toEqual([]);
    });
  });

  describe('to a sweep', () => {
    const listing = (...resources: object[]): void => {
      const transactions = resources.map((resource) => ({
        type: 'Buygoods Transaction',
        resource,
      }));
      const attributes = { status: 'Success', transactions };
      odd.on('POST /api/v2/polling', json(201, {}, { location: '/api/v2/polling/one' }));
      odd.on(
        'GET /api/v2/polling/one',
        json(200, { data: { id: 'one', type: 'polling', attributes } }),
      );
    };
    // After the start of the application, in whichever second that falls: what is older is history, and told to nobody.
    const justReceived = (): string => new Date(Date.now() + 60_000).toISOString();
    const money = (changes: object): object => ({
      reference: 'ONE',
      status: 'Received',
      amount: '100.0',
      currency: 'KES',
      till_number: '514459',
      origination_time: justReceived(),
      ...changes,
    });
    const swept = async (): Promise<MemoryStore> => {
      const store = new MemoryStore();
      await open({ store });
      await merchant.app.get(SweepSchedule).sweep();
      return store;
    };

    it.each([
      [
        'a status of tomorrow',
        { status: 'Settling' },
        'unknown transaction status Settling',
        'ONE',
      ],
      [
        'no status and no reference',
        { status: null, reference: null },
        'unknown transaction status null',
        '',
      ],
      [
        'neither reference nor id',
        { reference: null, id: null },
        'a listed transaction has no reference, id or till to be known by',
        'KES',
      ],
    ])('with %s is counted and told to nobody', async (_, changes, what, example) => {
      listing(money(changes));
      const store = await swept();
      expect(await store.counts('default')).toMatchObject([{ what, example }]);
      expect((await store.listTransactions('default', {}, { limit: 10 })).items).toEqual([]);
    });

    it('with money that nothing tells from other money is told to nobody, and holds up nothing', async () => {
      listing(
        money({ reference: null, id: null }),
        money({ reference: 'NO-TIME', origination_time: 'yesterday' }),
        money({ reference: 'TWO', status: 'Complete' }),
      );
      const store = await swept();
      const { items } = await store.listTransactions('default', {}, { limit: 10 });
      expect(new Set(items.map(({ reference }) => reference))).toEqual(new Set(['NO-TIME', 'TWO']));
      await merchant.heard.next('till.transaction.received');
      expect(
        merchant.heard
          .named('till.transaction.received')
          .map(({ transaction }) => transaction.reference),
      ).toEqual(['TWO']);
    });
  });

  it('is asked for nothing in the background by a payment that has its outcome', async () => {
    odd.on(CREATE, json(422, {}));
    const { payments } = await open({ reconciliation: { scheduleMs: [1], intervalMs: 1 } });
    await payments.request(aRequestFrom('+254700000002'));
    await merchant.heard.next('payment.failed');
    // The look at the credentials, made once at each start, is not about this payment.
    expect(odd.asked.filter((route) => route.startsWith('GET /api/'))).toEqual([]);
  });
});
