import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  IncomingPaymentsService,
  MemoryStore,
  PollingService,
  SweepsService,
  WebhookSubscriptionsService,
  type PaymentsOptions,
} from '@tillkit/payments';
import type { ApiVersion } from '@tillkit/payments/types';
import { INSTANT_TIMINGS, Simulator, type SimulatorOptions } from '@tillkit/simulator';
import { aRequest, aRequestFrom, Merchant } from '../support/merchant.js';

/** Only a test answers the prompt of this phone. */
const HANDSET = '+254700000014';

const SUBSCRIPTION = {
  eventType: 'buygoods_transaction_received',
  scope: 'till',
  scopeReference: '514459',
} as const;

const WINDOW = {
  fromTime: '2026-01-01T00:00:00+03:00',
  toTime: '2026-01-02T00:00:00+03:00',
};

describe('The versions of the API', () => {
  let simulator: Simulator;
  const open: Merchant[] = [];

  beforeEach(() => {
    open.length = 0;
  });

  afterEach(async () => {
    await Promise.all([...open.map((merchant) => merchant.close()), simulator.stop()]);
  });

  const start = async (options: SimulatorOptions = {}): Promise<void> => {
    simulator = await Simulator.start({ timings: INSTANT_TIMINGS, seed: 1, ...options });
  };

  const openMerchant = async (payments: PaymentsOptions): Promise<Merchant> => {
    const { url, clientId, clientSecret, apiKey } = simulator;
    const merchant = await Merchant.open({
      payments: { baseUrl: url, clientId, clientSecret, apiKeys: [apiKey], ...payments },
    });
    open.push(merchant);
    return merchant;
  };

  /** Returns the requests to the platform under `/api`: method and path. */
  const requests = (): string[] =>
    simulator.journal
      .entries()
      .flatMap((entry) =>
        entry.type === 'request' ? [`${entry.method} ${new URL(entry.url).pathname}`] : [],
      )
      .filter((request) => request.includes(' /api/'));

  /** Returns these requests, each once, with `id` for ids. */
  const asked = (): Set<string> =>
    new Set(requests().map((request) => request.replace(/(\/v\d\/\w+)\/.*$/, '$1/id')));

  it.each<[ApiVersion]>([['v1'], ['v2']])(
    'are %s for creates, reads, sweeps and callbacks when the settings say so',
    async (version) => {
      await start({ apiVersions: 'both' });
      const merchant = await openMerchant({
        apiVersions: { webhookSubscriptions: version, polling: version, incomingPayments: version },
        // The callback of the first payment comes before its read.
        reconciliation: { sweepEveryMs: 0, requestsPerSecond: 1000, scheduleMs: [3_000] },
      });
      const subscriptions = merchant.app.get(WebhookSubscriptionsService);
      const subscription = await subscriptions.create(SUBSCRIPTION);
      expect(subscription.location).toContain(`/api/${version}/webhook_subscriptions/`);
      expect(await subscriptions.get(subscription.id)).toMatchObject({ id: subscription.id });
      const polling = await merchant.app.get(PollingService).create(WINDOW);
      await merchant.received.next('polling.completed', (event) => event.polling.id === polling.id);
      await merchant.payments.request(aRequest());
      await merchant.received.next('payment.succeeded', ({ via }) => via === 'callback');
      // The callback of this payment is lost, so the payment is read.
      await merchant.payments.request(aRequestFrom('+254700000015'));
      await merchant.received.next('payment.succeeded', ({ via }) => via === 'status');
      expect(await merchant.app.get(SweepsService).sweep()).toBe(true);
      expect(asked()).toEqual(
        new Set(
          ['webhook_subscriptions', 'polling', 'incoming_payments'].flatMap((name) => [
            `POST /api/${version}/${name}`,
            `GET /api/${version}/${name}/id`,
          ]),
        ),
      );
    },
  );

  it('can be changed while a payment is open: its outcome is found in the version in which it was created', async () => {
    // This platform has payments in v2 only: in v1 it answers 404.
    await start();
    const store = new MemoryStore();
    const reconciliation = {
      sweepEveryMs: 0,
      requestsPerSecond: 1000,
      scheduleMs: [50],
      intervalMs: 50,
    };
    const first = await openMerchant({ store, reconciliation });
    const { id, platformId } = await first.payments.request(aRequestFrom(HANDSET));
    await first.app.close();
    const second = await openMerchant({
      store,
      apiVersions: { incomingPayments: 'v1' },
      reconciliation,
    });
    await simulator.idle();
    simulator.handset(HANDSET).approve();
    const { payment, via } = await second.received.next('payment.succeeded');
    expect({ id: payment.id, via }).toEqual({ id, via: 'status' });
    expect(second.received.named('payment.needs_review')).toEqual([]);
    expect(asked()).toContain('GET /api/v1/incoming_payments/id');
    expect(await second.app.get(IncomingPaymentsService).get(platformId as string)).toMatchObject({
      id: platformId,
      status: 'Success',
    });
  });

  it('are both asked for a resource that is missing, each once', async () => {
    await start({ apiVersions: 'both' });
    const merchant = await openMerchant({});
    const missing = merchant.app.get(IncomingPaymentsService).get('nothing');
    await expect(missing).rejects.toMatchObject({ code: 'PAYMENTS_REJECTED', status: 404 });
    expect(requests()).toEqual([
      'GET /api/v2/incoming_payments/nothing',
      'GET /api/v1/incoming_payments/nothing',
    ]);
  });

  it.each(
    (['v1', 'v2'] as const).flatMap((version) =>
      (
        [
          'create-foreign-location',
          'create-http-location',
          'create-unversioned-location',
          'create-other-version-location',
        ] as const
      ).map((fault) => [version, fault] as const),
    ),
  )(
    'do not matter in the Location of a payment of %s with the fault %s',
    async (version, fault) => {
      await start({ apiVersions: 'both' });
      const merchant = await openMerchant({ apiVersions: { incomingPayments: version } });
      simulator.faults.once(fault);
      const payment = await merchant.payments.request(aRequestFrom(HANDSET));
      expect(payment.state).toBe('pending');
      await simulator.idle();
      simulator.handset(HANDSET).approve();
      expect((await merchant.received.next('payment.succeeded')).payment.id).toBe(payment.id);
    },
  );
});
