import { Logger } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { PaymentsModule, type PaymentsOptions } from '@tillkit/payments';
import { Simulator } from '@tillkit/simulator';
import { aRequest, Merchant } from '../support/merchant.js';
import { freePort } from '../support/free.port.js';
import { until } from '../support/until.js';

/** Outgoing requests and the log, which are the same on both HTTP platforms. */
describe('A set-up that is wrong and harms nobody at once', () => {
  let merchant: Merchant;
  const lines: string[] = [];

  const open = async (payments: PaymentsOptions, publicPath = ''): Promise<void> => {
    merchant = await Merchant.open({ payments, publicPath });
    const keep = (line: unknown): number => lines.push(String(line));
    Logger.overrideLogger({ log: keep, warn: keep, error: keep });
  };

  /** Requests payments until each has ended. */
  const paid = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n += 1) {
      const { id } = await merchant.payments.request(aRequest({ allowParallel: true }));
      expect(await merchant.payments.settled(id)).toMatchObject({ state: 'succeeded' });
    }
  };

  beforeEach(() => void (lines.length = 0));
  afterEach(async () => {
    Logger.overrideLogger(false);
    await merchant.close();
  });

  it.each([
    ['nobody answers at it', async () => ({ publicUrl: `http://127.0.0.1:${await freePort()}` })],
    ['it has a path that no proxy removes', async () => ({})],
  ])('is named once when the public URL is wrong: %s', async (_, wrongUrl) => {
    const reconciliation = { scheduleMs: [20], intervalMs: 10 };
    await open({ reconciliation, ...(await wrongUrl()) }, '/shop');
    await paid(7);
    expect(lines).toEqual([
      expect.stringMatching(
        /^the last 3 operations ended only because they were read.*check PAYMENTS_PUBLIC_URL.* account=default$/,
      ),
    ]);
  });

  it('is not reported while callbacks come', async () => {
    await open({ reconciliation: { scheduleMs: [60_000] } });
    await paid(4);
    expect(lines).toEqual([]);
  });

  it('is named once when the client secret is wrong', async () => {
    await open({ clientSecret: 'wrong', sending: { sendBeforeMs: 200 } });
    for (let n = 0; n < 3; n += 1) {
      expect(await merchant.payments.request(aRequest())).toMatchObject({
        state: 'failed',
        reason: 'not_sent',
      });
    }
    expect(lines).toEqual([
      expect.stringMatching(
        /gives no access token.*answered 401.*Check PAYMENTS_CLIENT_ID and PAYMENTS_CLIENT_SECRET.* account=default$/,
      ),
    ]);
  });

  it('is named once when the platform is down, and once when it is back', async () => {
    await open({ sending: { sendBeforeMs: 200 } });
    const { clientId, clientSecret, apiKey, url } = merchant.simulator;
    await merchant.simulator.stop();
    for (let n = 0; n < 2; n += 1) await merchant.payments.request(aRequest());
    expect(lines).toEqual([
      expect.stringMatching(
        /the platform cannot be used \(ECONN(REFUSED|RESET)\): check PAYMENTS_BASE_URL \(http:\/\/127/,
      ),
    ]);
    const again = await Simulator.start({
      port: Number(new URL(url).port),
      clientId,
      clientSecret,
      apiKey,
    });
    await until(async () => {
      await merchant.payments.request(aRequest({ allowParallel: true }));
      return lines.length > 1;
    });
    expect(lines.slice(1)).toEqual(['the platform answers again account=default']);
    await again.stop();
  });
});

it('A variable that has a wrong name is named when the application starts', async () => {
  const warn = jest.fn();
  const options = {
    baseUrl: 'https://platform.example',
    clientId: 'id',
    clientSecret: 'secret',
    publicUrl: 'https://shop.example',
    apiKeys: ['key'],
  };
  process.env['PAYMENTS_TILL'] = '514459';
  try {
    await Test.createTestingModule({ imports: [PaymentsModule.forRoot(options)] })
      .setLogger({ log: () => undefined, error: () => undefined, warn })
      .compile();
  } finally {
    delete process.env['PAYMENTS_TILL'];
    Logger.overrideLogger(false);
  }
  expect(String(warn.mock.calls[0])).toMatch(
    /^PAYMENTS_TILL is not read: did you mean PAYMENTS_TI/,
  );
});
