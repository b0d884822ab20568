import {
  HttpException,
  Injectable,
  Logger,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { deliverSigned, webhookBody } from '../support/deliver.js';
import { Merchant } from '../support/merchant.js';
import { PLATFORMS } from '../support/platforms.js';

/** An adapter of another name; it works as Express does. */
class UnknownAdapter extends ExpressAdapter {
  override getType(): string {
    return 'tomorrow';
  }
}

describe('A host', () => {
  const errors: string[] = [];
  let merchant: Merchant | undefined;

  const listening = (): void => {
    const ignore = (): void => undefined;
    Logger.overrideLogger({
      log: ignore,
      warn: ignore,
      debug: ignore,
      error: (line: unknown) => errors.push(String(line)),
    });
  };

  beforeEach(listening);
  afterEach(async () => {
    await merchant?.close();
    merchant = undefined;
    errors.length = 0;
    Logger.overrideLogger(false);
  });

  describe.each(PLATFORMS)('with a guard on $platform', (platform) => {
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
      return merchant.webhookUrl;
    };

    const post = (url: string) =>
      deliverSigned(url, webhookBody(), (merchant as Merchant).simulator.apiKey);

    it.each<[string, unknown]>([
      ['an Error', new TypeError('a mistake of the host')],
      ['a string', 'a text'],
    ])('answers 500 as a problem without details when the guard throws %s', async (_, thrown) => {
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
      expect(errors).toEqual([
        expect.stringMatching(/^a delivery failed and was answered 500(\n|$)/),
      ]);
    });

    it('keeps the status that the guard throws, and logs how to let our routes pass', async () => {
      const url = await openWithGuard(() => {
        throw new HttpException('pay first', 402);
      });
      expect(await post(url)).toMatchObject({ status: 402 });
      expect(errors.join('\n')).toMatch(/answered 402 .* controllerDecorators: \[Public\(\)\]/);
    });

    it('sends the answer of the guard when the guard has answered already', async () => {
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
        platform,
        providers: [{ provide: APP_GUARD, useClass: AnsweringGuard }],
      });
      const url = merchant.webhookUrl;
      expect(await deliverSigned(url, webhookBody(), merchant.simulator.apiKey)).toMatchObject({
        status: 429,
        text: 'too many',
      });
    });
  });

  it('with an unknown HTTP adapter accepts no delivery, and logs why', async () => {
    merchant = await Merchant.open({
      create: (module) => {
        listening();
        return module.createNestApplication(new UnknownAdapter());
      },
    });
    expect(errors.join('\n')).toMatch(/do not work on "tomorrow": use Express or Fastify/);
    const url = merchant.webhookUrl;
    expect(await deliverSigned(url, webhookBody(), merchant.simulator.apiKey)).toMatchObject({
      status: 415,
    });
    expect(merchant.received.events).toEqual([]);
  });
});
