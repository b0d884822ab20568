import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ConsoleLogger, Injectable, Logger, type LoggerService } from '@nestjs/common';
import {
  MemoryStore,
  OnPaymentEvent,
  StoreUnavailableError,
  SweepsService,
  TokensService,
  type PaymentsEvents,
} from '@tillkit/payments';
import { altered } from '../../support/altered.store.js';
import { deliver, deliverSigned, webhookBody } from '../../support/deliver.js';
import { aRequest, aRequestFrom, Merchant } from '../../support/merchant.js';
import { until } from '../../support/until.js';

const URL_SECRET = 'a secret of the URLs that is long enough';
const WRONG_KEY = 'a key that an outsider has made up';

/** Phone numbers in the forms in which people, the platform and code write them. */
const PHONES = ['254700000001', '0700000001', '0700 000 001', '254700000004', '254700000005'];
const NAMES = ['Jane', 'Doe'];

const LOGGERS: { kind: string; make: () => LoggerService }[] = [
  { kind: 'text', make: () => new ConsoleLogger({ colors: false }) },
  { kind: 'JSON', make: () => new ConsoleLogger({ json: true }) },
];

@Injectable()
class Broken {
  @OnPaymentEvent('payment.succeeded', { id: 'broken' })
  handle({ payment }: PaymentsEvents['payment.succeeded']): void {
    throw new Error(`no order of ${payment.subscriber.phoneNumber}, 0700 000 001`);
  }
}

interface JsonLine {
  level: string;
  context?: string;
  message: string | Record<string, unknown>;
}

describe('The log', () => {
  describe.each(LOGGERS)('as $kind', ({ kind, make }) => {
    let merchant: Merchant;
    let printed: string[];
    let isStoreAway: boolean;

    beforeEach(() => {
      printed = [];
      isStoreAway = false;
      const keep = (...parts: unknown[]): boolean => {
        printed.push(parts.map(String).join(' '));
        return true;
      };
      jest.spyOn(process.stdout, 'write').mockImplementation((text) => keep(text));
      jest.spyOn(process.stderr, 'write').mockImplementation((text) => keep(text));
      for (const method of ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const)
        jest
          .spyOn(console, method)
          .mockImplementation((...parts: unknown[]) => void keep(...parts));
    });
    afterEach(async () => {
      jest.restoreAllMocks();
      Logger.overrideLogger(false);
      await merchant.close();
    });

    const store = () =>
      altered(new MemoryStore(), {
        deliveries: {
          store:
            (original) =>
            (...args) =>
              isStoreAway ? Promise.reject(new StoreUnavailableError('away')) : original(...args),
        },
        ledger: {
          commitWithDelivery:
            (original) =>
            (...args) =>
              isStoreAway ? Promise.reject(new StoreUnavailableError('away')) : original(...args),
        },
      });

    const all = (): string => printed.join('\n');

    /** Lets everything happen that can happen to a payment, and to callers who should not be there. */
    const live = async (): Promise<string[]> => {
      merchant = await Merchant.open({
        providers: [Broken],
        payments: {
          store: store(),
          urlSecrets: [URL_SECRET],
          sending: { sendBeforeMs: 3_000 },
          listeners: { retryScheduleMs: [5] },
          reconciliation: { scheduleMs: [30], reviewAfterMs: 400, sweepEveryMs: 0 },
        },
        configure: (app) => app.useLogger(make()),
      });
      const { simulator, payments, webhookUrl, app, received } = merchant;
      const tokens = app.get(TokensService);
      const secrets = [await tokens.get(), simulator.clientSecret, simulator.apiKey];

      await payments.request(aRequest());
      await payments.request(aRequestFrom('+254700000004'));
      await received.next('payment.failed');
      await until(() => all().includes('is a dead letter'));

      const ofTomorrow = webhookBody({}, { topic: 'of +254700000005' });
      await deliverSigned(webhookUrl, ofTomorrow, simulator.apiKey);
      await deliverSigned(webhookUrl, webhookBody(), simulator.apiKey);
      await deliverSigned(webhookUrl, webhookBody(), WRONG_KEY);
      await deliver(webhookUrl, webhookBody());
      await deliver(`${webhookUrl.slice(0, -3)}abc`, webhookBody());
      await until(() => all().includes('was not understood'));

      isStoreAway = true;
      await deliverSigned(webhookUrl, webhookBody(), simulator.apiKey);
      isStoreAway = false;

      simulator.faults.rate('lose', 1);
      simulator.faults.rate('read-5xx', 1);
      await payments.request(aRequestFrom('+254700000001'));
      await until(() => all().includes('could not be reconciled'));
      await app
        .get(SweepsService)
        .sweep()
        .catch(() => undefined);

      await tokens.revoke();
      simulator.faults.rate('token-nonsense', 1);
      await payments.request(aRequestFrom('+254700000005')).catch(() => undefined);
      await until(() => all().includes('gives no access token'));
      simulator.faults.clear();
      secrets.push(simulator.clientId, URL_SECRET, WRONG_KEY);
      secrets.push(new URL(webhookUrl).pathname.split('/').at(-1) as string);
      await merchant.app.close();
      return secrets;
    };

    it('of a full run at level debug has no phone number, name, secret, token, key or MAC', async () => {
      const secrets = await live();
      const text = all();
      expect(text).toContain('carries no signature');
      expect(text).toContain('answered 503');
      for (const secret of [...secrets, ...PHONES, ...NAMES]) {
        expect(secret.length).toBeGreaterThan(2);
        expect(text).not.toContain(secret);
        expect(text).not.toContain(encodeURIComponent(secret));
      }
      if (kind === 'JSON') expectFields(printed);
      else
        expect(text).toMatch(
          /listener broken of payment\.succeeded failed, attempt 1, and will be repeated: .* account=default listener=broken event=payment\.succeeded eventId=[0-9a-f]{32} attempt=1\n/,
        );
    });
  });
});

/** Each line is one JSON object, and what it is about can be queried. */
function expectFields(printed: readonly string[]): void {
  const lines = printed.map((line) => JSON.parse(line) as JsonLine);
  const ours = lines.filter(({ context }) => context === 'Tillkit');
  const messages = ours.map(({ message }) => message);
  expect(messages).toContainEqual({
    msg: expect.stringContaining('is a dead letter'),
    account: 'default',
    listener: 'broken',
    event: 'payment.succeeded',
    eventId: expect.stringMatching(/^[0-9a-f]{32}$/),
    attempt: 2,
  });
  expect(messages).toContainEqual({
    msg: expect.stringContaining('could not be reconciled'),
    account: 'default',
    operationId: expect.any(String),
  });
  expect(messages).toContainEqual({
    msg: expect.stringContaining('was not understood'),
    account: 'default',
    deliveryId: expect.any(String),
  });
}
