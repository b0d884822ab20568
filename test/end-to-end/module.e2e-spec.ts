import { inspect } from 'node:util';
import {
  Controller,
  Injectable,
  Module,
  Param,
  Sse,
  type INestApplication,
  type Type,
} from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { NestFactory } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { afterEach, describe, expect, it } from '@jest/globals';
import * as payments from '@tillkit/payments';
import {
  MemoryStore,
  PaymentsAccount,
  PaymentsConfigurationError,
  PaymentsModule,
  PaymentsService,
  WebhookSubscriptionsService,
  PaymentsStore,
  PAYMENTS_VERSION,
  type PaymentsOptions,
} from '@tillkit/payments';
import { map } from 'rxjs';
import { aRequest, aRequestFrom, Merchant } from '../support/merchant.js';
import { RecordedEvents } from '../support/recorded-events.listener.js';
import { PLATFORMS } from '../support/platforms.js';

const SETTINGS: PaymentsOptions = {
  baseUrl: 'https://platform.example',
  clientId: 'id',
  clientSecret: 'secret',
  publicUrl: 'https://shop.example',
  apiKeys: ['an-api-key-of-the-portal'],
};

const ENVIRONMENT = {
  PAYMENTS_BASE_URL: 'https://platform.example',
  PAYMENTS_CLIENT_ID: 'id',
  PAYMENTS_CLIENT_SECRET: 'secret',
  PAYMENTS_PUBLIC_URL: 'https://shop.example',
  PAYMENTS_API_KEYS: 'an-api-key-of-the-portal',
};

@Injectable()
class OptionsClass {
  createPaymentsOptions(): PaymentsOptions {
    return SETTINGS;
  }
}

@Module({ providers: [OptionsClass], exports: [OptionsClass] })
class OptionsModule {}

@Controller('orders')
class OrdersController {
  constructor(private readonly payments: PaymentsService) {}

  @Sse(':id')
  follow(@Param('id') id: string) {
    return this.payments.watch(id).pipe(map(({ state }) => ({ data: { state } })));
  }
}

@Injectable()
class Orders {
  constructor(readonly payments: PaymentsService) {}
}

@Module({ imports: [PaymentsModule], providers: [Orders] })
class OrdersModule {}

describe.each(PLATFORMS)('PaymentsModule on $platform', (platform) => {
  let app: INestApplication | undefined;
  const start = async (
    ...imports: Parameters<typeof Test.createTestingModule>[0]['imports'] & object
  ): Promise<INestApplication> => {
    const module = await Test.createTestingModule({ imports, providers: [RecordedEvents] })
      .setLogger(false as never)
      .compile();
    app = platform.create(module);
    app.useLogger(false);
    return app.init();
  };

  afterEach(async () => {
    await app?.close();
    app = undefined;
    for (const name of Object.keys(ENVIRONMENT)) delete process.env[name];
  });

  it('shows no secret when a host logs one of its services', async () => {
    const secrets = {
      clientSecret: 'the-client-secret',
      apiKeys: ['the-api-key-of-the-portal'],
      urlSecrets: ['the-url-secret-of-thirty-two-characters'],
    };
    const started = await start(PaymentsModule.forRoot({ ...SETTINGS, ...secrets }));
    const services = Object.entries(payments)
      .filter(([name]) => name.endsWith('Service'))
      .map(([, service]) => started.get<object>(service as unknown as Type));
    expect(services.length).toBeGreaterThan(8);
    services.push(started.get(PaymentsAccount, { strict: false }));
    const shown = services.map(
      (service) => JSON.stringify({ service }) + inspect(service, { depth: 20, showHidden: true }),
    );
    for (const secret of Object.values(secrets).flat())
      expect(shown.filter((text) => text.includes(secret))).toEqual([]);
  });

  it.each([
    ['without options', [OrdersModule]],
    ['again beside forRoot()', [PaymentsModule.forRoot(SETTINGS), OrdersModule]],
  ])('says what to write when a module imports the class itself, %s', async (_, imports) => {
    await expect(start(...imports)).rejects.toThrow(
      /imports PaymentsModule itself: import PaymentsModule.forRoot\(\) once, in the root module/,
    );
  });

  it.each<[string, () => Parameters<typeof start>[0][]]>([
    ['forRoot() with options', () => [PaymentsModule.forRoot(SETTINGS)]],
    [
      'forRootAsync() with a factory',
      () => [PaymentsModule.forRootAsync({ useFactory: () => Promise.resolve(SETTINGS) })],
    ],
    [
      'forRootAsync() with a class',
      () => [PaymentsModule.forRootAsync({ useClass: OptionsClass })],
    ],
    [
      'forRootAsync() with an existing provider',
      () => [PaymentsModule.forRootAsync({ imports: [OptionsModule], useExisting: OptionsClass })],
    ],
    [
      "forRoot() with the settings of the host's ConfigModule",
      () => [
        ConfigModule.forRoot({ isGlobal: true, ignoreEnvFile: true, load: [() => ENVIRONMENT] }),
        PaymentsModule.forRoot(),
      ],
    ],
  ])('starts with %s', async (_, imports) => {
    const { url } = {
      url: (await start(...(imports() as never[]))).get(WebhookSubscriptionsService).webhookUrl(),
    };
    expect(url).toBe('https://shop.example/payments/webhooks');
  });

  it('starts with the environment variables alone', async () => {
    Object.assign(process.env, ENVIRONMENT);
    expect((await start(PaymentsModule.forRoot())).get(PaymentsService)).toBeInstanceOf(
      PaymentsService,
    );
  });

  it('refuses to start without settings, and names each missing one', async () => {
    const starting = start(PaymentsModule.forRoot());
    await expect(starting).rejects.toThrow(PaymentsConfigurationError);
    await expect(starting).rejects.toThrow(
      /PAYMENTS_BASE_URL[^]*PAYMENTS_CLIENT_ID[^]*PAYMENTS_CLIENT_SECRET[^]*PAYMENTS_PUBLIC_URL[^]*PAYMENTS_API_KEYS/,
    );
  });

  it('keeps payments in the store that the application provides', async () => {
    const provided = new MemoryStore();
    @Module({
      providers: [{ provide: PaymentsStore, useValue: provided }],
      exports: [PaymentsStore],
    })
    class StoreModule {}
    const quick = { ...SETTINGS, sending: { sendBeforeMs: 100 } };
    await start({ module: StoreModule, global: true }, PaymentsModule.forRoot(quick));
    const { paymentId } = await recordIn(app as INestApplication);
    expect(await provided.operations.find('default', paymentId)).not.toBeNull();
  });

  it('gives the public URLs of the settings in a replica without HTTP', async () => {
    const module = await Test.createTestingModule({
      imports: [
        PaymentsModule.forRoot({
          ...SETTINGS,
          publicUrl: 'https://shop.example/base',
          path: '/mobile/money/',
          background: false,
        }),
      ],
    }).compile();
    await module.init();
    expect(module.get(WebhookSubscriptionsService).webhookUrl()).toBe(
      'https://shop.example/base/mobile/money/webhooks',
    );
    await module.close();
  });

  it('starts in an application without HTTP', async () => {
    @Module({ imports: [PaymentsModule.forRoot(SETTINGS)] })
    class WorkerModule {}
    const context = await NestFactory.createApplicationContext(WorkerModule, { logger: false });
    expect(context.get(WebhookSubscriptionsService).webhookUrl()).toBe(
      'https://shop.example/payments/webhooks',
    );
    await context.close();
  });

  it('sends the states of a payment as server-sent events, and can close while a stream is open', async () => {
    const merchant = await Merchant.open({ platform, controllers: [OrdersController] });
    const { id } = await merchant.payments.request(aRequestFrom('+254700000014'));
    const response = await fetch(`${merchant.url}/orders/${id}`);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    const until = async (state: string): Promise<void> => {
      while (!text.includes(`"${state}"`)) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`the stream ended before ${state}: ${text}`);
        text += new TextDecoder().decode(value);
      }
    };
    await until('pending');
    merchant.simulator.handset('+254700000014').approve();
    await until('succeeded');
    expect((await reader.read()).done).toBe(true);

    const open = await merchant.payments.request(aRequestFrom('+254700000114'));
    await fetch(`${merchant.url}/orders/${open.id}`);
    await merchant.close();
  });
});

async function recordIn(app: INestApplication): Promise<{ paymentId: string }> {
  const { id } = await app.get(PaymentsService).request(aRequest({ tillNumber: '514459' }));
  return { paymentId: id };
}

describe('The version in the User-Agent header', () => {
  it('is the version of the package', async () => {
    const { default: manifest } = (await import('../../libs/payments/package.json', {
      with: { type: 'json' },
    })) as {
      default: { version: string };
    };
    expect(PAYMENTS_VERSION).toBe(manifest.version);
  });
});
