import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { getPaymentsToken, DeliveriesService, MemoryStore, signDelivery } from '@tillkit/payments';
import { altered } from '../support/altered.store.js';
import {
  deliver,
  deliverSigned,
  resultBody,
  webhookBody,
  type Answer,
} from '../support/deliver.js';
import { aRequestFrom, Merchant } from '../support/merchant.js';
import { PLATFORMS } from '../support/platforms.js';
import { runs } from '../support/thorough.js';

const KEY = 'an-api-key';

/** A store that can refuse deliveries, as when its disk is full. */
class FullDisk {
  failing = false;
  kept = 0;

  readonly store = altered(new MemoryStore(), {
    deliveries: {
      store:
        (store) =>
        async (...args) => {
          if (this.failing) throw new Error('disk full');
          const stored = await store(...args);
          if (!stored.duplicate) this.kept += 1;
          return stored;
        },
    },
  });
}

/**
 * Repeats a delivery while its connection is reset, as the platform does: on a busy machine, the operating system resets
 * some of very many simultaneous connections before the application accepts them.
 */
async function untilAnswered(send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
  }
}

describe.each(PLATFORMS)('The webhook and callback routes on $platform', (platform) => {
  let merchant: Merchant;
  let webhooks: string;
  let disk: FullDisk;

  beforeEach(async () => {
    disk = new FullDisk();
    merchant = await Merchant.open({
      platform,
      payments: { apiKeys: ['an-old-key', KEY], store: disk.store },
      simulator: { apiKey: KEY },
    });
    webhooks = merchant.webhookUrl;
  });

  afterEach(() => merchant.close());

  it('accept a delivery that is signed with any of the API keys', async () => {
    for (const key of ['an-old-key', KEY]) {
      expect(await deliverSigned(webhooks, webhookBody({ reference: key }), key)).toMatchObject({
        status: 200,
        text: '',
      });
      await merchant.received.next(
        'till.transaction.received',
        ({ transaction }) => transaction.reference === key,
      );
    }
  });

  it.each([
    ['without a signature', (body: string) => deliver(webhooks, body)],
    [
      'that is signed with another key',
      (body: string) => deliverSigned(webhooks, body, 'another-key'),
    ],
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
      'that is truncated',
      (body: string) =>
        deliver(webhooks, body.slice(0, -20), { 'x-kopokopo-signature': signDelivery(body, KEY) }),
    ],
    ['that is empty and unsigned', () => deliver(webhooks, '')],
  ])('refuse a delivery %s, without details', async (_, send) => {
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
    expect(merchant.received.events).toHaveLength(0);
  });

  it('refuse a webhook over 64 kB and a callback over 1 MB with 413', async () => {
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

  it('refuse a compressed body with 415', async () => {
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
  ])('accept a signed delivery with %s', async (_, made, headers) => {
    expect(await deliverSigned(webhooks, made(webhookBody()), KEY, headers)).toMatchObject({
      status: 200,
    });
    await merchant.received.next('till.transaction.received');
  });

  it('answer 503 with Retry-After when a delivery cannot be stored, and accept its duplicate', async () => {
    const body = webhookBody();
    disk.failing = true;
    const first = await deliverSigned(webhooks, body, KEY);
    expect(first).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^\d+$/) });
    disk.failing = false;
    expect(await deliverSigned(webhooks, body, KEY)).toMatchObject({ status: 200 });
    await merchant.received.next('till.transaction.received');
  });

  it('keep a signed delivery that is not understood, and cause delivery.unrecognised', async () => {
    await deliverSigned(webhooks, 'not JSON', KEY);
    const { deliveryId, topic } = await merchant.received.next('delivery.unrecognised');
    expect(topic).toBeNull();
    const kept = await merchant.app.get(DeliveriesService).find(deliveryId);
    expect(kept).toMatchObject({ state: 'unrecognised', body: Buffer.from('not JSON') });
  });

  it.each(['a_topic_of_tomorrow', 'customer_deleted', 'settlement_transfer_failed'])(
    'cause delivery.unrecognised for a webhook of topic %s',
    async (topic) => {
      await deliverSigned(webhooks, webhookBody({}, { topic }), KEY);
      expect(await merchant.received.next('delivery.unrecognised')).toMatchObject({ topic });
    },
  );

  it('cause delivery.unrecognised for the result of an unknown resource', async () => {
    const body = JSON.stringify({ data: { id: 'x', type: 'gift_card', attributes: {} } });
    await deliverSigned(`${merchant.url}/payments/callbacks/polling/bare-1`, body, KEY);
    expect(await merchant.received.next('delivery.unrecognised')).toMatchObject({
      topic: 'gift_card',
    });
  });

  it.each(['unknown-resource/1', 'incoming-payments/..%2f..', 'incoming-payments/a%20b'])(
    'answer callbacks/%s with 404',
    async (path) => {
      expect(
        await deliverSigned(`${merchant.url}/payments/callbacks/${path}`, '{}', KEY),
      ).toMatchObject({ status: 404 });
    },
  );

  it('settle the payment that a result names, whatever URL the result is posted to', async () => {
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

    const { payment } = await merchant.received.next('payment.succeeded');
    expect(payment.id).toBe(other.id);
    expect(await merchant.payments.find(mine.id)).toMatchObject({ state: 'pending' });
  });

  it('cause one success for hundreds of simultaneous duplicates of a callback and its webhook', async () => {
    merchant.simulator.scenario('+254700000050', 'handset');
    const payment = await merchant.payments.request(aRequestFrom('+254700000050'));
    const callback = `${merchant.url}/payments/callbacks/incoming-payments/${payment.id}`;
    const resource = { sender_phone_number: '+254700000050', reference: 'ONE' };
    const copies = Array.from({ length: runs(2_000) }, (_, n) => {
      const [url, body] =
        n % 100 === 0
          ? [webhooks, webhookBody({ ...resource })]
          : [
              callback,
              resultBody(
                payment.platformId as string,
                callback,
                { note: n % 7 },
                { ...resource, id: 't' },
              ),
            ];
      return untilAnswered(() => deliverSigned(url, body, KEY));
    });
    const answers = await Promise.all(copies);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    await merchant.received.next('payment.succeeded');
    const { paymentId } = await merchant.received.next('till.transaction.received');
    expect(paymentId).toBe(payment.id);
    // No earlier delivery is under way any more when this one has its event.
    await deliverSigned(
      webhooks,
      webhookBody({ reference: 'LAST', sender_phone_number: '+254700000077' }),
      KEY,
    );
    await merchant.received.next(
      'till.transaction.received',
      ({ transaction }) => transaction.reference === 'LAST',
    );
    expect(merchant.received.named('payment.succeeded')).toHaveLength(1);
    expect(merchant.received.named('till.transaction.received')).toHaveLength(2);
  });

  it('keep a captured delivery once, when it is posted to many invented ids', async () => {
    const of = (id: string): string => `${merchant.url}/payments/callbacks/incoming-payments/${id}`;
    const body = resultBody('nobody', of('nobody'));
    for (let n = 0; n < 20; n += 1) {
      expect(await deliverSigned(of(`invented-${n}`), body, KEY)).toMatchObject({ status: 200 });
    }
    expect(disk.kept).toBe(1);
  });

  it('keep no signature and no Authorization header', async () => {
    await deliverSigned(webhooks, 'not JSON', KEY, {
      authorization: 'Bearer secret-of-the-platform',
    });
    const { deliveryId } = await merchant.received.next('delivery.unrecognised');
    const kept = await merchant.app
      .get<DeliveriesService>(getPaymentsToken('default', DeliveriesService))
      .find(deliveryId);
    expect(JSON.stringify(kept)).not.toMatch(
      /secret-of-the-platform|[0-9a-f]{64}","authorization/i,
    );
    expect(Object.keys(kept ?? {})).not.toContain('headers');
  });

  it('accept a callback that overtakes the answer to its create', async () => {
    const payment = await merchant.payments.request(aRequestFrom('+254700000012'));
    expect(['pending', 'succeeded']).toContain(payment.state);
    await merchant.payments.settled(payment.id);
    await merchant.simulator.idle();
    expect(await merchant.payments.find(payment.id)).toMatchObject({ state: 'succeeded' });
  });
});
