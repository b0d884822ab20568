import { randomUUID } from 'node:crypto';
import type { INestApplication, ModuleMetadata } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import {
  PaymentsAccount,
  PaymentLinksService,
  PaymentsModule,
  PaymentsService,
  PayoutsService,
  ReconciliationService,
  RefundsService,
  WebhookSubscriptionsService,
  type PaymentsOptions,
  type PaymentsStore,
  type RequestPayment,
  type RequestPayout,
} from '@tillkit/payments';
import type { PaymentsModuleExtras, SendMoneyDestination } from '@tillkit/payments/types';
import { INSTANT_TIMINGS, Simulator, type SimulatorOptions } from '@tillkit/simulator';
import { requestsTo } from './platform.requests.js';
import { RecordedEvents } from './recorded-events.listener.js';
import { freePort } from './free.port.js';
import { PLATFORM, type Platform } from './platform.js';
import { quicken } from './quick.clock.js';

export interface MerchantOptions {
  /** @default PLATFORM */
  platform?: Platform;
  payments?: PaymentsOptions & PaymentsModuleExtras;
  simulator?: SimulatorOptions;
  /** A simulator that runs already, and that other merchants use too, so `close()` does not stop it. */
  shared?: Simulator;
  /** The name of the merchant at the simulator. By default the first one, with the till 514459. */
  name?: string;
  /** The part of the public URL after the origin. */
  publicPath?: string;
  imports?: ModuleMetadata['imports'];
  providers?: ModuleMetadata['providers'];
  controllers?: ModuleMetadata['controllers'];
  /** The waits of the application pass this many times faster. @default 1 */
  speed?: number;
  /** Creates the application; by default as the platform does. */
  create?: (module: TestingModule) => INestApplication;
  /** Changes the application before it listens. */
  configure?: (app: INestApplication) => void;
}

/** A merchant's application on real HTTP, and the simulated platform that it talks to. */
export class Merchant {
  private constructor(
    readonly app: INestApplication,
    readonly simulator: Simulator,
    readonly url: string,
    private readonly name: string | undefined,
    private readonly isShared: boolean,
  ) {}

  static async open(options: MerchantOptions = {}): Promise<Merchant> {
    if (options.shared) return Merchant.openOn(options.shared, options);
    const simulator = await Simulator.start({
      timings: INSTANT_TIMINGS,
      seed: 1,
      ...options.simulator,
    });
    try {
      return await Merchant.openOn(simulator, options);
    } catch (error) {
      await simulator.stop();
      throw error;
    }
  }

  private static async openOn(
    simulator: Simulator,
    {
      platform = PLATFORM,
      payments,
      publicPath = '',
      name,
      shared,
      speed = 1,
      imports,
      create,
      configure,
      ...metadata
    }: MerchantOptions,
  ): Promise<Merchant> {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const { clientId, clientSecret, apiKey, tillNumbers } =
      name === undefined ? simulator : simulator.merchants.get(name);
    const settings = {
      baseUrl: simulator.url,
      clientId,
      clientSecret,
      apiKeys: [apiKey],
      publicUrl: url + publicPath,
      tillNumber: name === undefined ? '514459' : tillNumbers[0]!,
      defaultCountry: 'KE',
      ...payments,
      // Most tests would otherwise wait for the rate of background requests.
      reconciliation: payments?.reconciliation !== false && {
        requestsPerSecond: 1_000,
        ...payments?.reconciliation,
      },
    } as const;
    const module = await Test.createTestingModule({
      imports: [PaymentsModule.forRoot(settings), ...(imports ?? [])],
      providers: [RecordedEvents, ...(metadata.providers ?? [])],
      controllers: metadata.controllers ?? [],
    }).compile();
    quicken(module, speed);
    const app = create ? create(module) : platform.create(module);
    app.useLogger(false);
    configure?.(app);
    await app.listen(port, '127.0.0.1');
    return new Merchant(app, simulator, url, name, shared !== undefined);
  }

  get store(): PaymentsStore {
    return this.app.get(PaymentsAccount, { strict: false }).store;
  }

  get payments(): PaymentsService {
    return this.app.get(PaymentsService);
  }

  get payouts(): PayoutsService {
    return this.app.get(PayoutsService);
  }

  get refunds(): RefundsService {
    return this.app.get(RefundsService);
  }

  get links(): PaymentLinksService {
    return this.app.get(PaymentLinksService);
  }

  /** The platform posts webhooks to this URL. */
  get webhookUrl(): string {
    return this.app.get(WebhookSubscriptionsService).webhookUrl();
  }

  get reconciliation(): ReconciliationService {
    return this.app.get(ReconciliationService);
  }

  get received(): RecordedEvents {
    return this.app.get(RecordedEvents);
  }

  /** Returns the last POST to a path, as the platform received it. */
  lastPost(path: string): { body: Record<string, unknown>; headers: Record<string, string> } {
    const entry = this.simulator.journal
      .entries(0, this.name)
      .findLast((one) => one.type === 'request' && one.method === 'POST' && one.url.endsWith(path));
    if (entry?.type !== 'request') throw new Error(`no POST to ${path}`);
    return {
      body: JSON.parse(entry.body) as Record<string, unknown>,
      headers: { ...entry.headers },
    };
  }

  /** Returns the number of creates of a resource that the platform received. */
  creates(path = '/incoming_payments'): number {
    return requestsTo(this.simulator, path, { method: 'POST', merchant: this.name }).length;
  }

  /** Closes both at once, because an Express server that closes waits 5 s for a connection that its client keeps. */
  async close(): Promise<void> {
    await Promise.all([this.app.close(), this.isShared ? null : this.simulator.stop()]);
  }
}

/** Returns a request that the platform accepts, with a new idempotency key. */
export function aRequest(changes: Partial<RequestPayment> = {}): RequestPayment {
  return {
    idempotencyKey: randomUUID(),
    subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber: '+254700000001' },
    amount: { currency: 'KES', value: '100.00' },
    ...changes,
  };
}

/** Returns a request to another phone number. Its last digits select the scenario of the simulator. */
export function aRequestFrom(
  phoneNumber: string,
  changes: Partial<RequestPayment> = {},
): RequestPayment {
  return aRequest({ subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber }, ...changes });
}

let customers = 0;

/** Returns a request to a customer who was not asked before, and who pays. */
export function aRequestOfAnother(changes: Partial<RequestPayment> = {}): RequestPayment {
  customers += 1;
  return aRequestFrom(`+25471${String(customers).padStart(5, '0')}01`, changes);
}

/** Returns a wallet to which the simulator transfers, unless its last digits say otherwise. */
export function aWallet(
  phoneNumber = '+254700000001',
  amount = '100.00',
): Extract<SendMoneyDestination, { type: 'mobile_wallet' }> {
  return { type: 'mobile_wallet', phoneNumber, network: 'Safaricom', amount, description: 'Wages' };
}

/** Returns a payout that the platform accepts, with a new idempotency key. */
export function aPayout(changes: Partial<RequestPayout> = {}): RequestPayout {
  return {
    idempotencyKey: randomUUID(),
    currency: 'KES',
    destinations: [aWallet()],
    ...changes,
  };
}
