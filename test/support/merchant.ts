import { randomUUID } from 'node:crypto';
import type { INestApplication, ModuleMetadata } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import {
  PaymentsModule,
  PaymentsService,
  type PaymentsModuleExtras,
  type PaymentsOptions,
  type RequestPayment,
} from '@tillkit/payments';
import { INSTANT_TIMINGS, Simulator, type SimulatorOptions } from '@tillkit/simulator';
import { Heard } from './heard.listener.js';
import { freePort, type Platform } from './platforms.js';

export interface MerchantOptions {
  platform: Platform;
  payments?: PaymentsOptions & PaymentsModuleExtras;
  simulator?: SimulatorOptions;
  imports?: ModuleMetadata['imports'];
  providers?: ModuleMetadata['providers'];
  controllers?: ModuleMetadata['controllers'];
  /** Makes the application, where the platform's own way will not do. */
  create?: (module: TestingModule) => INestApplication;
  /** What the host does to its application before it listens. */
  configure?: (app: INestApplication) => void;
}

/** A merchant's application on real HTTP, and the platform that it talks to. */
export class Merchant {
  private constructor(
    readonly app: INestApplication,
    readonly simulator: Simulator,
    readonly url: string,
  ) {}

  static async open(options: MerchantOptions): Promise<Merchant> {
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
    { platform, payments, imports, create, configure, ...metadata }: MerchantOptions,
  ): Promise<Merchant> {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const settings = {
      baseUrl: simulator.url,
      clientId: simulator.clientId,
      clientSecret: simulator.clientSecret,
      apiKeys: [simulator.apiKey],
      publicUrl: url,
      tillNumber: '514459',
      defaultCountry: 'KE',
      ...payments,
    } as const;
    const module = await Test.createTestingModule({
      imports: [PaymentsModule.forRoot(settings), ...(imports ?? [])],
      providers: [Heard, ...(metadata.providers ?? [])],
      controllers: metadata.controllers ?? [],
    }).compile();
    const app = create ? create(module) : platform.create(module);
    app.useLogger(false);
    configure?.(app);
    await app.listen(port, '127.0.0.1');
    return new Merchant(app, simulator, url);
  }

  get payments(): PaymentsService {
    return this.app.get(PaymentsService);
  }

  get heard(): Heard {
    return this.app.get(Heard);
  }

  /** How often the platform was asked to debit somebody. */
  creates(): number {
    return this.simulator.journal
      .entries()
      .filter(
        (entry) =>
          entry.type === 'request' &&
          entry.method === 'POST' &&
          entry.url.endsWith('/incoming_payments'),
      ).length;
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.simulator.stop();
  }
}

/** A request that the platform takes, with a key of its own. */
export function aRequest(changes: Partial<RequestPayment> = {}): RequestPayment {
  return {
    idempotencyKey: randomUUID(),
    subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber: '+254700000001' },
    amount: { currency: 'KES', value: '100.00' },
    ...changes,
  };
}

/** The same for another phone, whose last digits tell the simulator what its owner does. */
export function aRequestFrom(
  phoneNumber: string,
  changes: Partial<RequestPayment> = {},
): RequestPayment {
  return aRequest({ subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber }, ...changes });
}
