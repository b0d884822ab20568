import { afterEach, describe, expect, it } from '@jest/globals';
import {
  IncomingPaymentsService,
  PaymentsHttpService,
  PlatformUnauthorizedError,
} from '@tillkit/payments';
import type { FaultKind } from '@tillkit/simulator';
import { CERTIFICATE } from '../../libs/simulator/src/testing/certificate.fixture.js';
import {
  interceptionTools,
  type Answer,
  type Interception,
} from '../support/interception-tools.js';
import { aRequestFrom, Merchant, type MerchantOptions } from '../support/merchant.js';
import { requestsTo } from '../support/platform.requests.js';
import { SENT_KINDS } from '../support/sent.kinds.js';

/** No machine has this name, so a request that a tool lets through goes nowhere. */
const ORIGIN = 'https://platform.invalid';

const { INTERCEPTION_TOOLS = [], repeatEverything } = (await interceptionTools()) ?? {};

let merchant: Merchant;
let interception: Interception | null = null;

afterEach(async () => {
  interception?.stop();
  interception = null;
  await merchant.close();
});

const http = (): PaymentsHttpService => merchant.app.get(PaymentsHttpService);
const openOnSimulator = async (
  simulator: MerchantOptions['simulator'] = {},
  createTimeoutMs = 30_000,
): Promise<void> => {
  merchant = await Merchant.open({
    simulator: { openingBalances: { '514459': 10_000 }, ...simulator },
    payments: {
      http: { createTimeoutMs, tls: { ca: CERTIFICATE.cert } },
      reconciliation: false,
    },
  });
};

describe('A host that replaces fetch', () => {
  const { fetch } = globalThis;
  afterEach(() => {
    globalThis.fetch = fetch;
  });

  it('does not reach the requests to the platform', async () => {
    await openOnSimulator();
    globalThis.fetch = () => Promise.reject(new Error('it is mocked'));
    expect(await merchant.payments.request(aRequestFrom('+254700000014'))).toMatchObject({
      state: 'pending',
    });
  });
});

for (const { tool, answers, start } of INTERCEPTION_TOOLS)
  describe.each(SENT_KINDS)(`A $kind to a platform that ${tool} plays`, ({ request }) => {
    const open = async (create: Answer): Promise<Interception> => {
      merchant = await Merchant.open({
        payments: {
          baseUrl: ORIGIN,
          clientSecret: 'the-secret-of-a-test',
          apiKeys: ['the-api-key-of-a-test'],
          reconciliation: false,
        },
      });
      return (interception = await start(http(), ORIGIN, create));
    };

    it('gets its answers, and keeps what they say', async () => {
      const { creates } = await open('created');
      expect(await request(merchant)).toMatchObject({
        state: 'pending',
        platformId: 'a-platform-id',
      });
      expect(creates()).toBe(1);
    });

    it.each(answers.filter((answer) => answer !== 'created'))(
      'has an unknown outcome when its create %s, and is never sent again',
      async (answer) => {
        const { creates } = await open(answer);
        expect(await request(merchant)).toMatchObject({ state: 'unknown', platformId: null });
        expect(creates()).toBe(1);
      },
    );
  });

for (const { tool, start } of INTERCEPTION_TOOLS) {
  it(`What ${tool} does not know of a platform that it plays reaches that platform`, async () => {
    await openOnSimulator();
    const { simulator } = merchant;
    interception = await start(http(), simulator.url, 'created');
    // The token comes from the tool, so the simulator refuses it.
    await expect(merchant.app.get(IncomingPaymentsService).get('one')).rejects.toThrow(
      PlatformUnauthorizedError,
    );
    expect(requestsTo(simulator, '/incoming_payments/one').length).toBeGreaterThan(0);
    expect(requestsTo(simulator, '/oauth/token')).toEqual([]);
  });

  describe.each(SENT_KINDS)(`A $kind beside ${tool}`, ({ request, moved, path }) => {
    it.each([
      ['over plain HTTP', {}],
      ['over TLS', { tls: CERTIFICATE }],
    ])('reaches a platform that is not mocked, %s', async (_, simulator) => {
      await openOnSimulator(simulator);
      interception = await start(http(), ORIGIN, 'breaks');
      expect(await request(merchant)).toMatchObject({ state: 'pending' });
      expect(moved(merchant.simulator)).toBe(1);
      expect(merchant.creates(path)).toBe(1);
      expect(interception.creates()).toBe(0);
    });
  });
}

if (repeatEverything)
  describe.each(SENT_KINDS)(
    'A $kind of a host that repeats everything with axios-retry',
    ({ request, path }) => {
      it.each<[string, FaultKind]>([
        ['the platform answers 503', 'create-5xx-before-commit'],
        ['the connection is lost', 'create-reset-before-commit'],
        ['no answer comes', 'create-never-answers'],
      ])('is sent once when %s', async (_, fault) => {
        await openOnSimulator({}, fault === 'create-never-answers' ? 2_000 : undefined);
        repeatEverything(http());
        for (const each of [fault, 'lose'] as const) merchant.simulator.faults.rate(each, 1);
        expect(await request(merchant)).toMatchObject({ state: 'unknown' });
        expect(merchant.creates(path)).toBe(1);
      });
    },
  );
