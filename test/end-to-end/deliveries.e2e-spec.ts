import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { getPaymentsToken, Inbox, MemoryStore, signDelivery } from '@tillkit/payments';
import { deliver, deliverSigned, resultBody, webhookBody } from '../support/deliver.js';
import { aRequestFrom, Merchant } from '../support/merchant.js';
import { PLATFORMS } from '../support/platforms.js';

const KEY = 'an-api-key';

/** A store whose deliveries can be refused, as when its disk is full. */
class FailingStore extends MemoryStore {
  failing = false;
  kept = 0;

  override async storeDelivery(
    ...args: Parameters<MemoryStore['storeDelivery']>
  ): Promise<{ duplicate: boolean }> {
    if (this.failing) throw new Error('disk full');
    const stored = await super.storeDelivery(...args);
    if (!stored.duplicate) this.kept += 1;
    return stored;
  }
}

describe.each(PLATFORMS)('deliveries on $platform', (platform) => {
  let merchant: Merchant;
  let webhooks: string;
  const store = (): FailingStore => failing;
  let failing: FailingStore;

  beforeEach(async () => {
    failing = new FailingStore();
    merchant = await Merchant.open({
      platform,
      payments: { apiKeys: ['an-old-key', KEY], store: failing },
      simulator: { apiKey: KEY },
    });
    webhooks = merchant.payments.webhookUrl();
  });

  afterEach(() => merchant.close());

  it('takes what is signed with any of the API keys', async () => {
    for (const key of ['an-old-key', KEY]) {
      expect(await deliverSigned(webhooks, webhookBody({ reference: key }), key)).toMatchObject({
        status: 200,
        text: '',
      });
      await merchant.heard.next(
        'till.transaction.received',
        ({ transaction }) => transaction.reference === key,
      );
    }
  });

  it.each([
    ['without a signature', (body: string) => deliver(webhooks, body)],
    ['signed with another key', (body: string) => deliverSigned(webhooks, body, 'another-key')],
    [
      'with a signature of another length',
      (body: string) => deliver(webhooks, body, { 'x-kopokopo-signature': 'abc' }),
    ],
    [
      'with a signature that is not hexadecimal',
      (body: string) => deliver(webhooks, body, { 'x-kopokopo-signature': 'g'.repeat(64) }),
    ],
    [
      'whose signature is over other bytes',
      (body: string) =>
        deliver(webhooks, `${body} `, { 'x-kopokopo-signature': signDelivery(body, KEY) }),
    ],
    [
      'truncated',
      (body: string) =>
        deliver(webhooks, body.slice(0, -20), { 'x-kopokopo-signature': signDelivery(body, KEY) }),
    ],
    ['empty and unsigned', () => deliver(webhooks, '')],
  ])('refuses a delivery %s, and says nothing', async (_, send) => {
    const answer = await send(webhookBody());
    expect(answer).toMatchObject({
      status: 401,
      type: expect.stringContaining('application/problem+json'),
    });
    expect(JSON.parse(answer.text)).toEqual({
      type: 'about:blank',
      title: 'Unauthorized',
      status: 401,
    });
    expect(merchant.heard.events).toHaveLength(0);
  });

  it('refuses a webhook over 64 kB and a callback over 1 MB with 413', async () => {
    const large = webhookBody({ system: 'x'.repeat(65 * 1024) });
    expect(await deliverSigned(webhooks, large, KEY)).toMatchObject({ status: 413 });
    const callback = `${merchant.url}/payments/callbacks/polling/bare-1`;
    expect(await deliverSigned(callback, 'x'.repeat(1024 * 1024 + 1), KEY)).toMatchObject({
      status: 413,
    });
    expect(await deliverSigned(callback, 'x'.repeat(1024 * 1024), KEY)).toMatchObject({
      status: 200,
    });
  });

  it('refuses a compressed body with 415', async () => {
    const body = gzipSync(webhookBody());
    expect(await deliverSigned(webhooks, body, KEY, { 'content-encoding': 'gzip' })).toMatchObject({
      status: 415,
    });
  });

  it.each([
    ['a byte order mark', (body: string) => Buffer.from(`\uFEFF${body}`), {}],
    ['the type text/plain', (body: string) => body, { 'content-type': 'text/plain' }],
    ['an unknown type', (body: string) => body, { 'content-type': 'application/x-unknown' }],
    ['an invalid type', (body: string) => body, { 'content-type': 'nonsense' }],
    ['the encoding identity', (body: string) => body, { 'content-encoding': 'identity' }],
  ])('takes a signed delivery with %s', async (_, made, headers) => {
    expect(await deliverSigned(webhooks, made(webhookBody()), KEY, headers)).toMatchObject({
      status: 200,
    });
    await merchant.heard.next('till.transaction.received');
  });

  it('answers 503 with Retry-After when a delivery cannot be stored, and takes it when it comes again', async () => {
    const body = webhookBody();
    store().failing = true;
    const first = await deliverSigned(webhooks, body, KEY);
    expect(first).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^\d+$/) });
    store().failing = false;
    expect(await deliverSigned(webhooks, body, KEY)).toMatchObject({ status: 200 });
    await merchant.heard.next('till.transaction.received');
  });

  it('keeps what is signed and not understood, and tells that it is there', async () => {
    await deliverSigned(webhooks, 'not JSON', KEY);
    const { deliveryId, topic } = await merchant.heard.next('delivery.unrecognised');
    expect(topic).toBeNull();
    const kept = await merchant.app.get(Inbox).find(deliveryId);
    expect(kept).toMatchObject({ state: 'unrecognised', body: Buffer.from('not JSON') });
  });

  it.each(['customer_created', 'settlement_transfer_completed', 'a_topic_of_tomorrow'])(
    'tells a webhook of topic %s as unrecognised',
    async (topic) => {
      await deliverSigned(webhooks, webhookBody({}, { topic }), KEY);
      expect(await merchant.heard.next('delivery.unrecognised')).toMatchObject({ topic });
    },
  );

  it('tells the result of a resource it does not know as unrecognised', async () => {
    const body = JSON.stringify({ data: { id: 'x', type: 'send_money', attributes: {} } });
    await deliverSigned(`${merchant.url}/payments/callbacks/polling/bare-1`, body, KEY);
    expect(await merchant.heard.next('delivery.unrecognised')).toMatchObject({
      topic: 'send_money',
    });
  });

  it.each(['unknown-resource/1', 'incoming-payments/..%2f..', 'incoming-payments/a%20b'])(
    'has no route for callbacks/%s',
    async (path) => {
      expect(
        await deliverSigned(`${merchant.url}/payments/callbacks/${path}`, '{}', KEY),
      ).toMatchObject({ status: 404 });
    },
  );

  it('settles a payment by its own success only, whatever URL that is posted to', async () => {
    merchant.simulator.scenario('+254700000050', 'handset');
    merchant.simulator.scenario('+254700000051', 'handset');
    const mine = await merchant.payments.request(aRequestFrom('+254700000050'));
    const other = await merchant.payments.request(aRequestFrom('+254700000051'));
    const callbackUrl = `${merchant.url}/payments/callbacks/incoming-payments`;
    const body = resultBody(
      other.platformId as string,
      `${callbackUrl}/${other.id}`,
      {},
      { sender_phone_number: '+254700000051' },
    );

    await deliverSigned(`${callbackUrl}/${mine.id}`, body, KEY);

    const { payment } = await merchant.heard.next('payment.succeeded');
    expect(payment.id).toBe(other.id);
    expect(await merchant.payments.find(mine.id)).toMatchObject({ state: 'pending' });
  });

  it('hears a thousand copies at once, with their webhook, as one success', async () => {
    merchant.simulator.scenario('+254700000050', 'handset');
    const payment = await merchant.payments.request(aRequestFrom('+254700000050'));
    const callback = `${merchant.url}/payments/callbacks/incoming-payments/${payment.id}`;
    const resource = { sender_phone_number: '+254700000050', reference: 'ONE' };
    const copies = Array.from({ length: 1000 }, (_, n) =>
      n % 100 === 0
        ? deliverSigned(webhooks, webhookBody({ ...resource }), KEY)
        : deliverSigned(
            callback,
            resultBody(
              payment.platformId as string,
              callback,
              { note: n % 7 },
              { ...resource, id: 't' },
            ),
            KEY,
          ),
    );
    const answers = await Promise.all(copies);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    await merchant.heard.next('payment.succeeded');
    const { paymentId } = await merchant.heard.next('till.transaction.received');
    expect(paymentId).toBe(payment.id);
    // One more, after which nothing else is under way.
    await deliverSigned(
      webhooks,
      webhookBody({ reference: 'LAST', sender_phone_number: '+254700000077' }),
      KEY,
    );
    await merchant.heard.next(
      'till.transaction.received',
      ({ transaction }) => transaction.reference === 'LAST',
    );
    expect(merchant.heard.named('payment.succeeded')).toHaveLength(1);
    expect(merchant.heard.named('till.transaction.received')).toHaveLength(2);
  });

  it('keeps a captured delivery once, to however many invented ids it is posted', async () => {
    const of = (id: string): string => `${merchant.url}/payments/callbacks/incoming-payments/${id}`;
    const body = resultBody('nobody', of('nobody'));
    for (let n = 0; n < 20; n += 1) {
      expect(await deliverSigned(of(`invented-${n}`), body, KEY)).toMatchObject({ status: 200 });
    }
    expect(store().kept).toBe(1);
  });

  it('stores no signature and no Authorization header', async () => {
    await deliverSigned(webhooks, 'not JSON', KEY, {
      authorization: 'Bearer secret-of-the-platform',
    });
    const { deliveryId } = await merchant.heard.next('delivery.unrecognised');
    const kept = await merchant.app.get<Inbox>(getPaymentsToken('default', Inbox)).find(deliveryId);
    expect(JSON.stringify(kept)).not.toMatch(
      /secret-of-the-platform|[0-9a-f]{64}","authorization/i,
    );
    expect(Object.keys(kept ?? {})).not.toContain('headers');
  });

  it('lets a callback overtake the answer of its own create', async () => {
    const payment = await merchant.payments.request(aRequestFrom('+254700000012'));
    expect(['pending', 'succeeded']).toContain(payment.state);
    await merchant.payments.settled(payment.id);
    await merchant.simulator.idle();
    expect(await merchant.payments.find(payment.id)).toMatchObject({ state: 'succeeded' });
  });
});
