import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HttpService } from '@nestjs/axios';
import type { AxiosInstance, InternalAxiosRequestConfig } from 'axios';
import {
  getPaymentsToken,
  IncomingPaymentsService,
  PaymentsAccounts,
  PaymentsHttpService,
  PaymentsModule,
  PlatformUnauthorizedError,
} from '@tillkit/payments';
import { aRequest, Merchant } from '../support/merchant.js';
import { SENT_KINDS } from '../support/sent.kinds.js';
import {
  CREATE,
  created,
  json,
  ScriptedPlatform,
  TOKEN,
  type Handler,
} from '../support/scripted.platform.js';
import { until } from '../support/until.js';

/** As a deep clone does. */
const copyOurs = (config: { tillkit: object }): unknown =>
  (config.tillkit = Object.assign(
    Object.create(Object.getPrototypeOf(config.tillkit) as object),
    config.tillkit,
  ));
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe.each(SENT_KINDS)("A $kind that passes through the host's interceptors", (kind) => {
  const resource = `/api/v2${kind.path}`;
  const route = `POST ${resource}`;
  let platform: ScriptedPlatform;
  let merchant: Merchant;
  let axios: AxiosInstance;
  let accepted: Handler;

  beforeEach(async () => {
    platform = await ScriptedPlatform.open();
    accepted = created('an-id', resource);
    platform.on(route, accepted);
    await open();
  });
  afterEach(async () => {
    await merchant.close();
    await platform.close();
  });

  const open = async (http = {}, sending = {}): Promise<void> => {
    merchant = await Merchant.open({ payments: { ...platform.settings, http, sending } });
    axios = merchant.app.get(PaymentsHttpService).axiosRef;
  };
  /** For what ends only when its time is over. */
  const hurry = async ({ createTimeoutMs = 500, sendBeforeMs = 2_000 } = {}): Promise<void> => {
    await merchant.close();
    await open({ createTimeoutMs }, { sendBeforeMs });
  };
  const send = () => kind.request(merchant);
  const isCreate = ({ url }: InternalAxiosRequestConfig): boolean =>
    url?.endsWith(resource) === true;
  const onCreate = (
    change: (config: InternalAxiosRequestConfig) => InternalAxiosRequestConfig | Promise<never>,
  ): unknown =>
    axios.interceptors.request.use((config) => (isCreate(config) ? change(config) : config));

  it('reaches the platform with the headers that they add', async () => {
    let seen: unknown;
    platform.on(route, (request, response) => {
      const { authorization, traceparent } = request.headers;
      seen = { authorization, traceparent };
      accepted(request, response);
    });
    onCreate((config) => {
      expect(config.headers.has('Authorization')).toBe(false);
      config.headers.set('traceparent', '00-1-2-01');
      return config;
    });
    expect(await send()).toMatchObject({ state: 'pending' });
    expect(seen).toEqual({ authorization: 'Bearer a-token', traceparent: '00-1-2-01' });
  });

  it('is not sent after its time when they wait', async () => {
    await hurry();
    axios.interceptors.request.use(async (config) => {
      if (isCreate(config)) await sleep(2_500);
      return config;
    });
    expect(await send()).toMatchObject({ state: 'failed', reason: 'not_sent' });
    await sleep(1_000);
    expect(platform.count(route)).toBe(0);
  });

  it('is not sent after a pause when they wait', async () => {
    // It ends by that.
    await hurry({ sendBeforeMs: 4_000 });
    let end: (() => void) | undefined;
    axios.interceptors.request.use(async (config) => {
      if (isCreate(config)) await new Promise<void>((resolve) => (end = resolve));
      return config;
    });
    const sent = send();
    await until(() => end !== undefined);
    await merchant.app.get(PaymentsAccounts).pause({ by: 'jane', note: 'the till was moved' });
    end?.();
    expect(await sent).toMatchObject({ state: 'failed', reason: 'not_sent' });
    expect(platform.count(route)).toBe(0);
  });

  it.each([
    ['an answer of 500', json(500, {}), 'unknown'],
    ['a lost connection', ((request) => void request.socket.destroy()) as Handler, 'unknown'],
    ['no answer', (() => undefined) as Handler, 'unknown'],
    ['a refusal', json(400, { error_message: 'no' }), 'failed'],
    ['a success', created('the-first-id', resource), 'pending'],
  ])(
    'is sent once when they repeat whatever they see, and keeps the outcome of %s',
    async (what, answer, state) => {
      if (what === 'no answer') await hurry();
      platform.on(route, answer, accepted);
      let repeats = 0;
      axios.interceptors.response.use(
        (response) => {
          if (!isCreate(response.config) || (repeats += 1) > 20) return response;
          return axios.request(response.config);
        },
        (error: Error & { config: InternalAxiosRequestConfig }) => {
          if ((repeats += 1) > 20) throw error;
          return axios.request(error.config);
        },
      );
      expect(await send()).toMatchObject({ state });
      expect(platform.count(route)).toBe(1);
    },
  );

  it('is sent once when they send it twice at once', async () => {
    onCreate((config) => {
      const { 'x-copy': copy } = config.headers;
      if (copy === undefined) {
        config.headers.set('x-copy', '1');
        void axios.request(config).catch(() => undefined);
      }
      return config;
    });
    await send();
    expect(platform.count(route)).toBe(1);
  });

  it.each<[string, (config: InternalAxiosRequestConfig) => unknown]>([
    ['another host', (config) => (config.url = 'https://evil.example/api')],
    ['another host by baseURL', (config) => (config.baseURL = 'https://evil.example')],
    ['a query', (config) => (config.params = { copy: 1 })],
    ['another method', (config) => (config.method = 'put')],
    ['another amount', (config) => (config.data = String(config.data).replace('100', '900'))],
    ['an object for a body', (config) => (config.data = { amount: 1 })],
    ['another token', (config) => config.headers.set('Authorization', 'Bearer of-another')],
    ['another host in its header', (config) => config.headers.set('Host', 'evil.example')],
    ['a header that Node sends at once', (config) => config.headers.set('Expect', '100-continue')],
    ['nothing of ours', (config) => delete (config as { tillkit?: unknown }).tillkit],
    ['a copy of ours', (config) => copyOurs(config as unknown as { tillkit: object })],
  ])('is not sent, and says why, when they give it %s', async (_, change) => {
    onCreate((config) => {
      change(config);
      return config;
    });
    const { id, state, reason } = await send();
    expect({ state, reason }).toEqual({ state: 'failed', reason: 'not_sent' });
    const { payments, payouts } = merchant;
    const histories = await Promise.all([payments.history(id), payouts.history(id)]);
    expect(JSON.stringify(histories)).toContain('an interceptor of PaymentsHttpService');
    expect(platform.count(route)).toBe(0);
  });

  it('is tried again, and then not sent, when they throw before it is sent', async () => {
    await hurry({ sendBeforeMs: 4_000 });
    let thrown = 0;
    onCreate(() => {
      thrown += 1;
      throw new Error('the vault is sealed');
    });
    expect(await send()).toMatchObject({ state: 'failed', reason: 'not_sent' });
    expect(thrown).toBeGreaterThan(1);
    expect(platform.count(route)).toBe(0);
  });

  it.each<[string, () => unknown]>([
    ['throw', () => Promise.reject(new Error('our log is full'))],
    ['return nothing', () => undefined],
    ['return another answer', () => ({ status: 400, data: '{}', headers: {}, config: {} })],
    ['do not end', () => new Promise(() => undefined)],
  ])('keeps what the platform has answered when they %s after it', async (what, happens) => {
    if (what === 'do not end') await hurry({ createTimeoutMs: 3_000, sendBeforeMs: 60_000 });
    axios.interceptors.response.use((response) =>
      isCreate(response.config) ? (happens() as never) : response,
    );
    expect(await send()).toMatchObject({ state: 'pending' });
    expect(platform.count(route)).toBe(1);
  });

  it.each([
    ['as the default', (adapter: never) => (axios.defaults.adapter = adapter)],
    [
      'in its config',
      (adapter: never) =>
        onCreate((config) => {
          config.adapter = adapter;
          return config;
        }),
    ],
  ])(
    'has an unknown outcome when another adapter fails that stands %s, and is not repeated',
    async (_, put) => {
      // The token is known.
      await merchant.payments.request(aRequest({ amount: { currency: 'KES', value: '1' } }));
      let calls = 0;
      put((() => {
        calls += 1;
        return Promise.reject(new Error('connect ECONNREFUSED'));
      }) as never);
      expect(await send()).toMatchObject({ state: 'unknown' });
      expect(calls).toBe(1);
    },
  );

  it('reaches the platform once through an adapter that wraps ours', async () => {
    const ours = axios.defaults.adapter as (config: unknown) => Promise<never>;
    let calls = 0;
    axios.defaults.adapter = (config) => {
      calls += 1;
      return ours(config);
    };
    expect(await send()).toMatchObject({ state: 'pending' });
    expect(calls).toBeGreaterThan(0);
    expect(platform.count(route)).toBe(1);
  });

  it('reaches the platform through an adapter around ours that makes a plain object of the headers', async () => {
    const ours = axios.defaults.adapter as (config: unknown) => Promise<never>;
    axios.defaults.adapter = (config) => ours({ ...config, headers: { ...config.headers } });
    expect(await send()).toMatchObject({ state: 'pending' });
    expect(platform.count(route)).toBe(1);
  });

  it.each([400, 401, 429])(
    'has an unknown outcome when an adapter around ours answers %d in place of the platform, which has it, and is not repeated',
    async (status) => {
      const ours = axios.defaults.adapter as (config: unknown) => Promise<never>;
      let receive: () => void = () => undefined;
      const received = new Promise<void>((resolve) => (receive = resolve));
      platform.on(route, receive);
      axios.defaults.adapter = (config) => {
        const sent = ours(config);
        if (!isCreate(config)) return sent;
        sent.catch(() => undefined);
        const answer = { status, statusText: '', data: '', headers: {}, config };
        return received.then(() => answer) as never;
      };
      expect(await send()).toMatchObject({ state: 'unknown' });
      expect(platform.count(route)).toBe(1);
    },
  );

  it('gives no token to another adapter', async () => {
    await hurry();
    let headers = '';
    onCreate((config) => {
      config.adapter = (sent) => {
        headers = JSON.stringify(sent.headers);
        const config = sent;
        return Promise.resolve({ status: 401, statusText: '', data: '', headers: {}, config });
      };
      return config;
    });
    expect(await send()).toMatchObject({ state: 'failed', reason: 'not_sent' });
    expect(headers).not.toContain('a-token');
  });
});

describe('The HttpService of an account', () => {
  let platform: ScriptedPlatform;
  let merchant: Merchant;

  beforeEach(async () => {
    platform = await ScriptedPlatform.open();
    platform.on(CREATE, created('an-id'));
    merchant = await Merchant.open({
      payments: platform.settings,
      imports: [PaymentsModule.forAccounts({ reconciliation: false })],
    });
  });
  afterEach(async () => {
    await merchant.close();
    await platform.close();
  });

  it('is one of @nestjs/axios, and each account has its own', async () => {
    const http = merchant.app.get(PaymentsHttpService);
    expect(http).toBeInstanceOf(HttpService);
    expect(merchant.app.get(getPaymentsToken('default', PaymentsHttpService))).toBe(http);
    const shop = await merchant.app.get(PaymentsAccounts).add('shop', {
      baseUrl: platform.url,
      clientId: 'shop',
      clientSecret: 's',
      publicUrl: merchant.url,
      apiKeys: ['key'],
      tillNumber: '000123',
    });
    const seen: string[] = [];
    http.axiosRef.interceptors.request.use((config) => {
      seen.push('default');
      return config;
    });
    shop.get(PaymentsHttpService).axiosRef.interceptors.request.use((config) => {
      seen.push('shop');
      return config;
    });
    await shop.payments.request(aRequest());
    expect(new Set(seen)).toEqual(new Set(['shop']));
  });

  it('is not for requests of the host', async () => {
    const own = merchant.app.get(PaymentsHttpService).axiosRef.get(`${platform.url}/anything`);
    await expect(own).rejects.toMatchObject({ code: 'PAYMENTS_INTERCEPTED' });
    expect(platform.asked).not.toContain('GET /anything');
  });

  it('shows no secret of a request when it is printed', async () => {
    let printed = '';
    merchant.app.get(PaymentsHttpService).axiosRef.interceptors.response.use((response) => {
      printed += JSON.stringify(response.config);
      return response;
    });
    await merchant.payments.request(aRequest());
    expect(printed).toContain('incoming_payments');
    expect(printed).not.toContain('a-token');
  });

  it('writes no payment again with new settings when another adapter, which has it, says that its token was refused', async () => {
    const accounts = merchant.app.get(PaymentsAccounts);
    const options = {
      baseUrl: platform.url,
      clientId: 'shop',
      clientSecret: 'old',
      publicUrl: merchant.url,
      apiKeys: ['key'],
      tillNumber: '000123',
    };
    const shop = await accounts.add('shop', options);
    let calls = 0;
    shop.get(PaymentsHttpService).axiosRef.interceptors.request.use((config) => {
      if (config.url?.endsWith('/incoming_payments') !== true || config.method !== 'post')
        return config;
      config.adapter = async () => {
        calls += 1;
        await accounts.add('shop', { ...options, clientSecret: 'new' });
        const answer = { operation: 'pay', status: 401, platformMessages: [] };
        throw new PlatformUnauthorizedError(answer);
      };
      return config;
    });
    expect(await shop.payments.request(aRequest())).toMatchObject({ state: 'unknown' });
    expect(calls).toBe(1);
  });

  it('may repeat reads', async () => {
    const read = 'GET /api/v2/incoming_payments/an-id';
    platform.on(read, json(503, {}), json(404, {}));
    const { axiosRef } = merchant.app.get(PaymentsHttpService);
    axiosRef.interceptors.response.use((response) =>
      response.status === 503 ? axiosRef.request(response.config) : response,
    );
    await expect(merchant.app.get(IncomingPaymentsService).get('an-id')).rejects.toMatchObject({
      status: 404,
    });
    expect(platform.count(read)).toBe(2);
    expect(platform.count(TOKEN)).toBe(1);
  });
});

it('A read whose time interceptors have used is not written, and its error names them', async () => {
  const platform = await ScriptedPlatform.open();
  const merchant = await Merchant.open({
    payments: { ...platform.settings, http: { readTimeoutMs: 2_000 } },
  });
  merchant.app.get(PaymentsHttpService).axiosRef.interceptors.request.use(async (config) => {
    if (config.method === 'get') await sleep(2_500);
    return config;
  });
  await expect(merchant.app.get(IncomingPaymentsService).get('an-id')).rejects.toMatchObject({
    code: 'PAYMENTS_UNREACHABLE',
    message: expect.stringContaining('slow interceptors') as unknown,
  });
  expect(platform.count('GET /api/v2/incoming_payments/an-id')).toBe(0);
  await merchant.close();
  await platform.close();
});
