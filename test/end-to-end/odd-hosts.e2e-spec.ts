import {
  HttpException,
  Injectable,
  Logger,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PaymentsModule, PaymentsService } from '@tillkit/payments';
import { deliverSigned, webhookBody } from '../support/deliver.js';
import { Merchant } from '../support/merchant.js';
import { PLATFORMS, type Platform } from '../support/platforms.js';

const [onExpress] = PLATFORMS as [Platform, Platform];

/** An Express that calls itself something else. */
class UnknownAdapter extends ExpressAdapter {
  override getType(): string {
    return 'tomorrow';
  }
}

describe('a host', () => {
  const errors: string[] = [];
  let merchant: Merchant | undefined;

  const listening = (): void => {
    const ignore = (): void => undefined;
    Logger.overrideLogger({
      log: ignore,
      warn: ignore,
      debug: ignore,
      error: (line: string) => errors.push(line),
    });
  };

  beforeEach(listening);
  afterEach(async () => {
    await merchant?.close();
    merchant = undefined;
    errors.length = 0;
    Logger.overrideLogger(false);
  });

  describe.each(PLATFORMS)('on $platform', (platform) => {
    const openWithGuard = async (answer: (context: ExecutionContext) => void): Promise<string> => {
      @Injectable()
      class HostGuard implements CanActivate {
        canActivate(context: ExecutionContext): boolean {
          answer(context);
          return true;
        }
      }
      merchant = await Merchant.open({
        platform,
        providers: [{ provide: APP_GUARD, useClass: HostGuard }],
      });
      listening();
      return merchant.payments.webhookUrl();
    };

    const post = (url: string) =>
      deliverSigned(url, webhookBody(), (merchant as Merchant).simulator.apiKey);

    it.each<[string, unknown]>([
      ['an error', new TypeError('a mistake of the host')],
      ['no error', 'a text'],
    ])('whose guard throws %s answers 500 as a problem that tells nothing', async (_, thrown) => {
      const url = await openWithGuard(() => {
        throw thrown;
      });
      const answer = await post(url);
      expect(answer).toMatchObject({
        status: 500,
        type: expect.stringContaining('application/problem+json'),
      });
      expect(JSON.parse(answer.text)).toEqual({
        type: 'about:blank',
        title: 'Internal Server Error',
        status: 500,
      });
      expect(errors).toContain('a delivery failed and was answered 500');
    });

    it('whose guard answers a status of its own keeps that status, and is told how to let us pass', async () => {
      const url = await openWithGuard(() => {
        throw new HttpException('pay first', 402);
      });
      expect(await post(url)).toMatchObject({ status: 402 });
      expect(errors.join('\n')).toMatch(/answered 402 .* controllerDecorators: \[Public\(\)\]/);
    });
  });

  it('whose guard has answered already is left with its answer', async () => {
    class AnsweringGuard implements CanActivate {
      canActivate(context: ExecutionContext): boolean {
        const response = context
          .switchToHttp()
          .getResponse<{ status(code: number): { send(text: string): void } }>();
        response.status(429).send('too many');
        throw new Error('answered already');
      }
    }
    merchant = await Merchant.open({
      platform: onExpress,
      providers: [{ provide: APP_GUARD, useClass: AnsweringGuard }],
    });
    const url = merchant.payments.webhookUrl();
    expect(await deliverSigned(url, webhookBody(), merchant.simulator.apiKey)).toMatchObject({
      status: 429,
      text: 'too many',
    });
  });

  it('on a platform that we do not know takes no delivery, and says why', async () => {
    merchant = await Merchant.open({
      platform: onExpress,
      create: (module) => {
        listening();
        return module.createNestApplication(new UnknownAdapter());
      },
    });
    expect(errors.join('\n')).toMatch(/do not work on "tomorrow": use Express or Fastify/);
    const url = merchant.payments.webhookUrl();
    expect(await deliverSigned(url, webhookBody(), merchant.simulator.apiKey)).toMatchObject({
      status: 415,
    });
    expect(merchant.heard.events).toEqual([]);
  });

  it('without HTTP still hands out the URLs of the replica that has it', async () => {
    const module = await Test.createTestingModule({
      imports: [
        PaymentsModule.forRoot({
          baseUrl: 'https://platform.example',
          clientId: 'id',
          clientSecret: 'secret',
          publicUrl: 'https://shop.example/base',
          apiKeys: ['key'],
          path: '/mobile/money/',
          background: false,
        }),
      ],
    }).compile();
    await module.init();
    expect(module.get(PaymentsService).webhookUrl()).toBe(
      'https://shop.example/base/mobile/money/webhooks',
    );
    await module.close();
  });
});
