import { Injectable, type INestApplication } from '@nestjs/common';
import { metrics } from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import {
  MemoryStore,
  OnPaymentEvent,
  PaymentsAccounts,
  PaymentsModule,
  PaymentsService,
  StoreUnavailableError,
  SweepsService,
  TokensService,
  WebhookSubscriptionsService,
  type PaymentsEvents,
} from '@tillkit/payments';
import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';
import { listeningAt } from '../support/application.js';
import { altered } from '../support/altered.store.js';
import { deliver, deliverSigned, webhookBody } from '../support/deliver.js';
import { aRequest, aRequestFrom } from '../support/merchant.js';
import { freePort } from '../support/free.port.js';
import { PLATFORM } from '../support/platform.js';

@Injectable()
class Orders {
  @OnPaymentEvent('payment.succeeded', { id: 'orders' })
  paid(_: PaymentsEvents['payment.succeeded']): void {}

  /** Fails each time: its calls wait, and become dead letters. */
  @OnPaymentEvent('payment.succeeded', { id: 'broken' })
  broken(_: PaymentsEvents['payment.succeeded']): void {
    throw new TypeError('broken for good');
  }
}

/** The application works under one of these troubles. */
export type Trouble = 'none' | 'paused' | 'platform' | 'callbacks' | 'store' | 'log';

/** A real application with the SDK of OpenTelemetry and its exporter for Prometheus, and the simulated platform. */
export class ObservedApplication {
  private trouble: Trouble = 'none';

  private constructor(
    readonly target: string,
    private readonly app: INestApplication,
    private readonly simulator: Simulator,
    private readonly meters: MeterProvider,
    private readonly state: { isStoreAway: boolean },
  ) {
    const unlessFull = (): void => {
      if (this.trouble === 'log') throw new Error('ENOSPC: no space left on device');
    };
    app.useLogger({ log: unlessFull, warn: unlessFull, error: unlessFull });
  }

  static async start(): Promise<ObservedApplication> {
    const [port, metricsPort] = [await freePort(), await freePort()];
    // The SDK comes first, as the documentation of OpenTelemetry wants.
    const exporter = new PrometheusExporter({ host: '127.0.0.1', port: metricsPort });
    const meters = new MeterProvider({ readers: [exporter] });
    metrics.setGlobalMeterProvider(meters);
    const state = { isStoreAway: false };
    const simulator = await Simulator.start({ timings: INSTANT_TIMINGS, seed: 1 });
    const { url: baseUrl, clientId, clientSecret, apiKey } = simulator;
    const app = await listeningAt(port, PLATFORM, {
      imports: [
        PaymentsModule.forRoot({
          baseUrl,
          clientId,
          clientSecret,
          apiKeys: [apiKey],
          publicUrl: `http://127.0.0.1:${port}`,
          tillNumber: '514459',
          store: storeThatMayBeAway(state),
          sending: { sendBeforeMs: 2_000 },
          reconciliation: {
            scheduleMs: [300, 1_000],
            reviewAfterMs: 3_000,
            sweepEveryMs: 1_000,
            requestsPerSecond: 100,
          },
          listeners: { retryScheduleMs: [100, 3_000] },
        }),
      ],
      providers: [Orders],
    });
    return new ObservedApplication(`127.0.0.1:${metricsPort}`, app, simulator, meters, state);
  }

  /** Makes one thing wrong from now on, and nothing else. */
  async begin(trouble: Trouble): Promise<void> {
    const { faults } = this.simulator;
    const accounts = this.app.get(PaymentsAccounts);
    const person = { by: 'jane', note: 'the till was moved' };
    if (trouble === 'paused') await accounts.pause(person);
    if (this.trouble === 'paused') await accounts.resume(person);
    this.trouble = trouble;
    faults.clear();
    this.state.isStoreAway = trouble === 'store';
    if (trouble === 'callbacks') faults.rate('lose', 1);
    if (trouble === 'platform') {
      faults.rate('read-5xx', 1);
      faults.rate('token-5xx', 1);
      faults.rate('create-5xx-after-commit', 1);
    }
  }

  /** Does what customers, the platform and outsiders do in a moment. */
  async work(): Promise<void> {
    const { simulator, trouble } = this;
    const payments = this.app.get(PaymentsService);
    const webhookUrl = this.app.get(WebhookSubscriptionsService).webhookUrl();
    // The last one is paid after it failed, so that a person must decide.
    const requested = [
      aRequest(),
      aRequestFrom('+254700000004'),
      aRequest(),
      aRequestFrom('+254700000018'),
    ];
    const requests = requested.map((request, at) =>
      payments.request({
        ...request,
        amount: { currency: 'KES', value: `${100 + at}.00` },
      }),
    );
    if (trouble === 'none') simulator.faults.once('create-429', {}, { retryAfter: 1 });
    const deliveries = [
      deliver(webhookUrl, webhookBody()),
      deliverSigned(webhookUrl, webhookBody(), simulator.apiKey),
      deliverSigned(webhookUrl, webhookBody({}, { topic: 'of_tomorrow' }), simulator.apiKey),
    ];
    await Promise.allSettled([...requests, ...deliveries]);
    if (trouble === 'platform') {
      // The token is not valid any more, and the platform gives none.
      await this.app
        .get(TokensService)
        .revoke()
        .catch(() => undefined);
      await this.app
        .get(SweepsService)
        .sweep()
        .catch(() => undefined);
    }
  }

  async stop(): Promise<void> {
    await this.begin('none');
    await Promise.all([this.app.close(), this.simulator.stop()]);
    await this.meters.shutdown();
  }
}

function storeThatMayBeAway(state: { isStoreAway: boolean }): MemoryStore {
  const unlessAway =
    <Args extends never[], T>(call: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      if (state.isStoreAway) throw new StoreUnavailableError('it is away');
      return call(...args);
    };
  return altered(new MemoryStore(), {
    deliveries: { store: unlessAway },
    ledger: { commitWithDelivery: unlessAway },
    statistics: { queues: unlessAway },
  });
}
