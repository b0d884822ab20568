import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  BarePaymentLinksService,
  MemoryStore,
  PayService,
  PollingService,
  ReversalsService,
  SendMoneyService,
  SettlementTransfersService,
  SmsNotificationsService,
  WEBHOOK_TOPICS,
  type PaymentsEventName,
} from '@tillkit/payments';
import type { CreatedResource } from '@tillkit/payments/types';
import { tillkit } from '../../support/command-line.js';
import { aRequest, Merchant } from '../../support/merchant.js';
import { created, ScriptedPlatform } from '../../support/scripted.platform.js';

const EVENTS: Record<string, PaymentsEventName> = {
  customer_created: 'customer.created',
  settlement_transfer_completed: 'settlement.completed',
  m2m_transaction_received: 'merchant-transaction.received',
};

const AMOUNT = { currency: 'KES', value: '100' };

/** Kinds of callbacks, with a request of the host that each is the result of, and the event that follows. */
const CALLBACKS: [
  string,
  string,
  (merchant: Merchant) => Promise<CreatedResource>,
  PaymentsEventName,
][] = [
  [
    'polling',
    '/api/v2/polling',
    ({ app }) =>
      app.get(PollingService).create({
        fromTime: new Date(Date.now() - 60_000).toISOString(),
        toTime: new Date().toISOString(),
      }),
    'polling.completed',
  ],
  [
    'sms-notifications',
    '/api/v1/transaction_sms_notifications',
    ({ app }) =>
      app
        .get(SmsNotificationsService)
        .create({ webhookEventReference: randomUUID(), message: 'Asante!' }),
    'sms-notification.completed',
  ],
  [
    'send-money',
    '/api/v2/send_money',
    ({ app }) =>
      app.get(SendMoneyService).create({
        currency: 'KES',
        destinations: [{ type: 'till', tillNumber: '000124', amount: '100', description: 'x' }],
      }),
    'send-money.completed',
  ],
  [
    'reversals',
    '/api/v2/reversals',
    ({ app }) => app.get(ReversalsService).create({ transactionReference: 'PAID1', reason: 'x' }),
    'reversal.completed',
  ],
  [
    'payment-links',
    '/api/v2/payment_links',
    ({ app }) => app.get(BarePaymentLinksService).create({ amount: AMOUNT }),
    'bare-payment-link.completed',
  ],
  [
    'settlement-transfers',
    '/api/v1/settlement_transfers',
    ({ app }) => app.get(SettlementTransfersService).create({ amount: AMOUNT }),
    'settlement-transfer.completed',
  ],
  [
    'pay',
    '/api/v1/payments',
    ({ app }) =>
      app.get(PayService).create({
        destinationType: 'till',
        destinationReference: 'recipient-1',
        amount: AMOUNT,
        description: 'x',
      }),
    'pay.completed',
  ],
];

describe('tillkit trigger', () => {
  let platform: ScriptedPlatform;
  let merchant: Merchant;
  let environment: Record<string, string>;

  beforeAll(async () => {
    platform = await ScriptedPlatform.open();
    merchant = await Merchant.open({
      payments: { ...platform.settings, store: new MemoryStore() },
    });
    environment = {
      PAYMENTS_API_KEYS: merchant.simulator.apiKey,
      PAYMENTS_PUBLIC_URL: merchant.url,
      PAYMENTS_TILL_NUMBER: '514459',
    };
  });

  afterAll(async () => {
    await merchant.close();
    await platform.close();
  });

  /** Returns the URL that the platform got with the last request on a path. */
  const callbackUrl = (path: string): string => {
    const [sent] = platform.received(`POST ${path}`).slice(-1) as {
      _links: { callback_url: string };
    }[];
    return sent?._links.callback_url as string;
  };

  it('posts a signed webhook to the routes of PAYMENTS_PUBLIC_URL', async () => {
    const { code, out, complaint } = await tillkit(
      [
        'trigger',
        'buygoods_transaction_received',
        '--set',
        'amount=250.0',
        '--set',
        'reference=TRIGGERED1',
      ],
      { environment },
    );
    expect({ code, out, complaint }).toEqual({
      code: 0,
      out: '200: the delivery was accepted\n',
      complaint: '',
    });
    const event = await merchant.received.next(
      'till.transaction.received',
      ({ transaction }) => transaction.reference === 'TRIGGERED1',
    );
    expect(event.transaction).toMatchObject({ amount: '250.0', tillNumber: '514459' });
  });

  it.each(WEBHOOK_TOPICS)(
    'posts an example of topic %s that the application understands',
    async (topic) => {
      const reference = `T${topic.replace(/[^a-z]/g, '').toUpperCase()}`;
      const { code } = await tillkit(
        ['trigger', topic, merchant.webhookUrl, '--set', `reference=${reference}`],
        { environment },
      );
      expect(code).toBe(0);
      const name =
        EVENTS[topic] ??
        (topic.endsWith('received') ? 'till.transaction.received' : 'till.transaction.reversed');
      const event = await merchant.received.next(name, (each) =>
        EVENTS[topic] ? true : JSON.stringify(each).includes(reference),
      );
      expect(event).toMatchObject({ via: 'webhook' });
    },
  );

  it('posts the result of a payment that the application waits for', async () => {
    const path = '/api/v2/incoming_payments';
    platform.on(`POST ${path}`, created('paid-1', path));
    const { id } = await merchant.payments.request(aRequest());
    const { code } = await tillkit(
      ['trigger', 'incoming-payments', callbackUrl(path), '--set', 'data.id=paid-1'],
      { environment },
    );
    expect(code).toBe(0);
    const { transaction } = await merchant.received.next(
      'payment.succeeded',
      ({ payment }) => payment.id === id,
    );
    expect(transaction).toMatchObject({ amount: '100.0' });
  });

  it.each(CALLBACKS)('posts a final result of %s', async (kind, path, request, event) => {
    platform.on(`POST ${path}`, created(`one-${kind}`, path));
    await request(merchant);
    const { code, out } = await tillkit(
      ['trigger', kind, callbackUrl(path), '--set', `data.id=one-${kind}`, '--json'],
      { environment },
    );
    expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 0, status: 200, accepted: true });
    expect(await merchant.received.next(event)).toMatchObject({ via: 'callback' });
  });

  it('says that a delivery with another key is refused, and why that may be', async () => {
    const { code, out } = await tillkit(
      ['trigger', 'customer_created', merchant.webhookUrl, '--key', 'another-key'],
      { environment },
    );
    expect({ code, out }).toEqual({
      code: 1,
      out: '401: the delivery was refused; the application has another API key, or the MAC in the URL is wrong\n',
    });
  });

  it('prints the delivery and sends nothing with --print', async () => {
    const before = merchant.received.named('customer.created').length;
    const { code, out } = await tillkit(['trigger', 'customer_created', '--print', '--json'], {
      environment,
    });
    const { body, signature } = JSON.parse(out);
    expect({ code, topic: JSON.parse(body).topic, signature }).toEqual({
      code: 0,
      topic: 'customer_created',
      signature: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(merchant.received.named('customer.created')).toHaveLength(before);
  });

  it('posts a body of its own, byte for byte', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tillkit-cli-'));
    const file = join(folder, 'body.json');
    await writeFile(file, '{ "topic" :  "of_tomorrow" }\n');
    const args = ['trigger', 'customer_created', merchant.webhookUrl, '--body', file];
    expect(await tillkit(args, { environment })).toMatchObject({ code: 0 });
    await merchant.received.next('delivery.unrecognised');
    expect(await tillkit([...args, '--set', 'a=b'], { environment })).toMatchObject({
      code: 2,
      complaint: expect.stringContaining('--set changes the example'),
    });
    await rm(folder, { recursive: true });
  });

  it.each([
    [
      'a topic that there is not',
      ['no_such_topic'],
      /'no_such_topic' is invalid.*buygoods_transaction_received/,
    ],
    [
      'a result without the URL of its request',
      ['polling'],
      /give the callback URL of a request after "polling"/,
    ],
    ['a plain http: URL', ['customer_created', 'http://shop.example/'], /must start with https:/],
    ['a URL without a host', ['customer_created', 'shop'], /must be an absolute https: URL/],
    [
      'a timeout that is no number',
      ['customer_created', '--timeout', 'soon'],
      /--timeout <seconds> must be a whole number from 1 to 300/,
    ],
  ])('refuses %s with the cause and the cure', async (_, args, why) => {
    expect(await tillkit(['trigger', ...args], { environment })).toMatchObject({
      code: 2,
      out: '',
      complaint: expect.stringMatching(why),
    });
  });

  it('posts to another machine only with --remote, and after a person has agreed', async () => {
    const remote = { ...environment, PAYMENTS_PUBLIC_URL: 'https://shop.invalid/base' };
    const args = ['trigger', 'customer_created'];
    const refused = {
      code: 2,
      complaint: expect.stringMatching(
        /^https:\/\/shop\.invalid is not on this machine, .* give a URL such as http:\/\/127\.0\.0\.1:3000\/base\/payments\/webhooks after "customer_created", or --remote/,
      ),
    };
    expect(await tillkit(args, { environment: remote })).toMatchObject(refused);
    expect(await tillkit([...args, '--yes'], { environment: remote })).toMatchObject(refused);
    const given = [...args, 'https://shop.invalid/base/payments/webhooks'];
    expect(await tillkit(given, { environment })).toMatchObject(refused);
    expect(await tillkit([...args, '--print'], { environment: remote })).toMatchObject({ code: 0 });
    const questions: string[] = [];
    const ask = (question: string) => Promise.resolve((questions.push(question), 'no'));
    const asked = await tillkit([...args, '--remote'], { environment: remote, ask });
    expect({ asked, questions }).toMatchObject({
      asked: { code: 1, complaint: expect.stringContaining('Nothing was changed') },
      questions: [
        expect.stringContaining('the application at https://shop.invalid/base/payments/webhooks'),
      ],
    });
  });

  it('names the key and the URL that it lacks', async () => {
    expect(await tillkit(['trigger', 'customer_created'])).toMatchObject({
      code: 2,
      complaint: expect.stringContaining('set PAYMENTS_PUBLIC_URL'),
    });
    expect(await tillkit(['trigger', 'customer_created', merchant.webhookUrl])).toMatchObject({
      code: 2,
      complaint: expect.stringContaining('no API key to sign with'),
    });
  });

  it('says that nothing answers', async () => {
    expect(
      await tillkit(['trigger', 'customer_created', 'http://127.0.0.1:1/'], { environment }),
    ).toMatchObject({
      code: 1,
      complaint: expect.stringMatching(/gave no answer:.*bad port|ECONNREFUSED/),
    });
  });
});
