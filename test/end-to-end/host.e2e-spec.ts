import {
  Controller,
  Post,
  RequestMethod,
  Req,
  ValidationPipe,
  VersioningType,
  type INestApplication,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import type { TestingModule } from '@nestjs/testing';
import { afterEach, describe, expect, it } from '@jest/globals';
import { deliverSigned, webhookBody } from '../support/deliver.js';
import { ApiGuard, Public, WrappingInterceptor } from '../support/host.guards.js';
import { aRequest, Merchant, type MerchantOptions } from '../support/merchant.js';
import type { Platform } from '../support/platform.js';
import { PLATFORMS } from '../support/platforms.js';

class TeapotFilter {
  catch(
    _: unknown,
    host: {
      switchToHttp(): { getResponse(): { status?: (n: number) => { send(x: string): void } } };
    },
  ): void {
    host.switchToHttp().getResponse().status?.(418).send('teapot');
  }
}

@Controller('shop')
class ShopController {
  @Post('webhooks')
  own(@Req() request: { body: unknown }): unknown {
    return { body: request.body };
  }
}

describe.each(PLATFORMS)('A host on $platform', (platform: Platform) => {
  let merchant: Merchant | undefined;
  const open = async (options: Omit<MerchantOptions, 'platform'>): Promise<Merchant> =>
    (merchant = await Merchant.open({ platform, ...options }));

  afterEach(() => merchant?.close());

  /** Checks our routes: they settle a payment, and accept a signed webhook only. */
  async function works(
    { payments, received, simulator, webhookUrl: webhook }: Merchant,
    path: string,
  ): Promise<void> {
    expect(new URL(webhook).pathname).toBe(`${path}/webhooks`);
    await payments.request(aRequest());
    expect((await received.next('payment.succeeded')).via).toBe('callback');
    expect(await deliverSigned(webhook, webhookBody(), simulator.apiKey)).toMatchObject({
      status: 200,
      text: '',
    });
    const refused = await deliverSigned(webhook, webhookBody(), 'another-key');
    expect(refused).toMatchObject({
      status: 401,
      type: expect.stringContaining('application/problem+json'),
    });
  }

  const configured = (configure: (app: INestApplication) => void) => ({ configure });

  it('with a global prefix gives URLs that have it', async () => {
    await works(
      await open(configured((app) => app.setGlobalPrefix('api/shop'))),
      '/api/shop/payments',
    );
  });

  it('with a global prefix that excludes our routes gives URLs without it', async () => {
    const exclude = [{ path: 'payments/{*rest}', method: RequestMethod.ALL }];
    await works(
      await open(configured((app) => app.setGlobalPrefix('api', { exclude }))),
      '/payments',
    );
  });

  it.each([
    ['URI', { type: VersioningType.URI, defaultVersion: '2' } as const],
    ['header', { type: VersioningType.HEADER, header: 'x-version', defaultVersion: '2' } as const],
    ['media type', { type: VersioningType.MEDIA_TYPE, key: 'v=', defaultVersion: '2' } as const],
  ])('with %s versioning keeps our routes neutral', async (_, versioning) => {
    await works(await open(configured((app) => app.enableVersioning(versioning))), '/payments');
  });

  it('with another path for our routes gives URLs that have it', async () => {
    await works(await open({ payments: { path: 'mobile/money' } }), '/mobile/money');
  });

  it('with a strict validation pipe, a wrapping interceptor, its own filter and CORS does not change our routes', async () => {
    const providers = [
      {
        provide: APP_PIPE,
        useValue: new ValidationPipe({
          whitelist: true,
          forbidNonWhitelisted: true,
          transform: true,
        }),
      },
      { provide: APP_INTERCEPTOR, useClass: WrappingInterceptor },
      { provide: APP_FILTER, useClass: TeapotFilter },
    ];
    await works(await open({ providers, configure: (app) => app.enableCors() }), '/payments');
  });

  it('with a global guard can open our routes by its own decorator', async () => {
    const providers = [{ provide: APP_GUARD, useClass: ApiGuard }];
    await works(
      await open({ providers, payments: { controllerDecorators: [Public()] } }),
      '/payments',
    );
  });

  it('with a guard that refuses everyone answers 403 as a problem, and keeps nothing', async () => {
    const { webhookUrl, received, simulator } = await open({
      providers: [{ provide: APP_GUARD, useClass: ApiGuard }],
    });
    const answer = await deliverSigned(webhookUrl, webhookBody(), simulator.apiKey);
    expect(answer).toMatchObject({
      status: 403,
      type: expect.stringContaining('application/problem+json'),
    });
    expect(received.events).toHaveLength(0);
  });

  it.each([
    ['keeps raw bodies', (module: TestingModule) => platform.create(module, { rawBody: true })],
    [
      'has no body parser',
      (module: TestingModule) => platform.create(module, { bodyParser: false }),
    ],
    ['accepts no body over 10 bytes', (module: TestingModule) => platform.createTiny(module)],
  ])('that %s does not change our routes', async (_, create) => {
    await works(await open({ create }), '/payments');
  });

  it('keeps its own routes and the bodies that its parser makes', async () => {
    const { url } = await open({ controllers: [ShopController] });
    const response = await fetch(`${url}/shop/webhooks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"a":1}',
    });
    expect(await response.json()).toEqual({ body: { a: 1 } });
  });

  it('answers no other method on our routes', async () => {
    const { webhookUrl } = await open({});
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect((await fetch(webhookUrl, { method })).status).toBe(404);
    }
  });
});
