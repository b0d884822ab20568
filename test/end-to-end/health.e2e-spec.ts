import { afterEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Injectable } from '@nestjs/common';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { MemoryStore, OnPaymentEvent, type PaymentsEvents } from '@tillkit/payments';
import { PaymentsHealthIndicator, PaymentsHealthModule } from '@tillkit/payments/health';
import { aDelivery } from '../contracts/store-under-test.js';
import { altered, type Alterations } from '../support/altered.store.js';
import { aRequest, Merchant, type MerchantOptions } from '../support/merchant.js';
import { until } from '../support/until.js';

const THRESHOLDS = { maxAgeMs: 300_000, maxSilenceMs: 1 };

@Controller('health')
class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly payments: PaymentsHealthIndicator,
  ) {}

  @Get()
  @HealthCheck()
  check() {
    return this.health.check([
      () => this.payments.store('store', { timeoutMs: 1_000 }),
      () => this.payments.token('token'),
      () => this.payments.circuit('circuit', { account: 'default' }),
      () => this.payments.backlog('backlog', { ...THRESHOLDS, maxDeadLetters: 0 }),
      () => this.payments.lastCallback('lastCallback', THRESHOLDS),
    ]);
  }
}

@Injectable()
class Broken {
  @OnPaymentEvent('payment.succeeded', { id: 'broken' })
  handle(_: PaymentsEvents['payment.succeeded']): void {
    throw new TypeError('no');
  }
}

interface Health {
  status: number;
  details: Record<string, { status: string } & Record<string, unknown>>;
}

describe('Health checks', () => {
  let merchant: Merchant;
  const open = async (options: Partial<MerchantOptions> = {}): Promise<Merchant> => {
    merchant = await Merchant.open({
      imports: [TerminusModule.forRoot({ logger: false }), PaymentsHealthModule],
      controllers: [HealthController],
      ...options,
    });
    return merchant;
  };
  const check = async (): Promise<Health> => {
    const response = await fetch(`${merchant.url}/health`);
    const { details } = (await response.json()) as Omit<Health, 'status'>;
    return { status: response.status, details };
  };
  /** Each answer about the store is used for five seconds, so an application is checked once in a state. */
  const down = async (): Promise<string[]> =>
    Object.entries((await check()).details)
      .filter(([, { status }]) => status === 'down')
      .map(([name]) => name);

  afterEach(() => merchant.close());

  it('are all up while nothing is wrong, and make no request to the platform', async () => {
    const { simulator } = await open({ payments: { reconciliation: false } });
    const asked = simulator.journal.entries(0).length;
    const { status, details } = await check();
    expect(status).toBe(200);
    expect(details).toEqual({
      store: { status: 'up' },
      token: { status: 'up' },
      circuit: { status: 'up' },
      backlog: {
        status: 'up',
        deliveries: 0,
        listenerCalls: 0,
        deadLetters: 0,
        inReview: 0,
        oldestReviewMs: 0,
        passedGuard: 0,
        oldestMs: 0,
      },
      lastCallback: { status: 'up' },
    });
    expect(simulator.journal.entries(0)).toHaveLength(asked);
  });

  it('say that the store does not answer, also when it hangs, and ask it only once meanwhile', async () => {
    let asked = 0;
    const hangs: Alterations = {
      statistics: {
        queues: () => () => {
          asked += 1;
          return new Promise(() => undefined);
        },
      },
    };
    await open({ payments: { store: altered(new MemoryStore(), hangs) } });
    const [first, second] = await Promise.all([check(), check()]);
    for (const { status, details } of [first, second]) {
      expect(status).toBe(503);
      expect(details['store']).toEqual({
        status: 'down',
        message: 'the store does not answer',
      });
      expect(details['backlog']?.status).toBe('down');
    }
    expect(asked).toBe(1);
  });

  it('say that the platform gives no token', async () => {
    await open({ payments: { clientSecret: 'a wrong secret' } });
    expect(await down()).toEqual([]);
    await merchant.payments.request(aRequest());
    expect(await down()).toEqual(['token']);
  });

  it('say that the circuit is open', async () => {
    await open({ payments: { reconciliation: { scheduleMs: [10], sweepEveryMs: 0 } } });
    merchant.simulator.faults.rate('lose', 1);
    merchant.simulator.faults.rate('read-429', 1, { retryAfter: 30 });
    await merchant.payments.request(aRequest());
    await until(async () => (await check()).details['circuit']?.status === 'down');
  });

  it('say that there are dead letters', async () => {
    await open({ providers: [Broken], payments: { listeners: { retryScheduleMs: [1] } } });
    await merchant.payments.request(aRequest());
    await until(
      async () =>
        (await merchant.store.events.listDeadLetters('default', {}, { limit: 1 })).items.length ===
        1,
    );
    const { details } = await check();
    expect(details['backlog']).toMatchObject({ status: 'down', deadLetters: 1 });
  });

  it('say that operations wait and no callback comes', async () => {
    await open({ payments: { reconciliation: false } });
    merchant.simulator.faults.rate('lose', 1);
    await merchant.payments.request(aRequest());
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await down()).toEqual(['lastCallback']);
  });

  it('say nothing of a payment link that nobody has paid yet', async () => {
    await open();
    await merchant.links.request({
      idempotencyKey: 'link',
      amount: { currency: 'KES', value: '100.00' },
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await down()).toEqual([]);
  });

  it('say that the platform reaches the application while a busy till has webhooks only', async () => {
    let late = 0;
    const store = new MemoryStore(() => Date.now() + late);
    await open({ payments: { store, background: false } });
    merchant.simulator.faults.rate('lose', 1);
    await merchant.payments.request(aRequest());
    await merchant.simulator.idle();
    const last = async (): Promise<string | undefined> => {
      const indicator = merchant.app.get(PaymentsHealthIndicator, { strict: false });
      return (await indicator.lastCallback('last'))['last']?.status;
    };
    late = 20 * 60_000;
    expect(await last()).toBe('down');
    for (const _ of Array.from({ length: 200 })) await store.deliveries.store(aDelivery('default'));
    expect(await last()).toBe('up');
  });
});
