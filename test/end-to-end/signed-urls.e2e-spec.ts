import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DeliveriesService, MemoryStore } from '@tillkit/payments';
import type { NewDelivery } from '@tillkit/payments/internal/store';
import { altered } from '../support/altered.store.js';
import { deliver, resultBody, webhookBody } from '../support/deliver.js';
import { aRequestFrom, Merchant } from '../support/merchant.js';

const SECRET = 'a-secret-of-more-than-32-characters-0001';
const OLD_SECRET = 'a-secret-of-more-than-32-characters-0000';
const PHONE = '+254700000014';

describe('Signed URLs without an API key', () => {
  let merchant: Merchant;
  const kept: NewDelivery[] = [];

  beforeEach(async () => {
    kept.length = 0;
    const store = altered(new MemoryStore(), {
      deliveries: {
        store:
          (store) =>
          async (...args) => {
            kept.push(args[0]);
            return store(...args);
          },
      },
    });
    merchant = await Merchant.open({
      payments: { apiKeys: [], urlSecrets: [SECRET, OLD_SECRET], store },
    });
  });

  afterEach(() => merchant.close());

  /** Returns the callback URL that the platform got for a payment. */
  const callbackUrl = (id: string): string => {
    const charge = merchant.simulator.charges().find(({ callbackUrl }) => callbackUrl.includes(id));
    return charge?.callbackUrl ?? '';
  };

  it('settle a payment after a status read has confirmed the callback', async () => {
    await merchant.payments.request(aRequestFrom('+254700000001'));
    const { via } = await merchant.received.next('payment.succeeded');
    expect(via).toBe('status');
  });

  it('are refused without a MAC, with a wrong one, and with the MAC of another payment', async () => {
    const mine = await merchant.payments.request(aRequestFrom(PHONE));
    const other = await merchant.payments.request(aRequestFrom('+254700000114'));
    const url = callbackUrl(mine.id);
    const mac = url.slice(url.lastIndexOf('/') + 1);
    const bare = url.slice(0, url.lastIndexOf('/'));
    expect(await deliver(bare, '{}')).toMatchObject({ status: 401 });
    expect(await deliver(`${bare}/${'x'.repeat(43)}`, '{}')).toMatchObject({ status: 401 });
    expect(await deliver(callbackUrl(other.id).replace(other.id, mine.id), '{}')).toMatchObject({
      status: 401,
    });
    expect(await deliver(`${merchant.url}/payments/webhooks/${mac}`, '{}')).toMatchObject({
      status: 401,
    });
    expect(await deliver(url, '{}')).toMatchObject({ status: 200 });
  });

  it('let a callback be processed while its payment waits for a status read', async () => {
    await merchant.close();
    const store = new MemoryStore();
    // This rate allows one read in twenty seconds.
    const reconciliation = { sweepEveryMs: 0, requestsPerSecond: 0.05 };
    merchant = await Merchant.open({
      payments: { apiKeys: [], urlSecrets: [SECRET], store, reconciliation },
    });
    for (const phone of [PHONE, '+254700000114', '+254700000214']) {
      const { id, platformId } = await merchant.payments.request(aRequestFrom(phone));
      await deliver(callbackUrl(id), resultBody(platformId as string, callbackUrl(id)));
    }
    const done = async (): Promise<number> =>
      (await store.deliveries.list('default', { state: 'done' }, { limit: 10 })).items.length;
    while ((await done()) < 3) await new Promise((resolve) => setTimeout(resolve, 10));
  });

  it('let no forged success settle a payment, because the answer of the platform counts', async () => {
    const payment = await merchant.payments.request(aRequestFrom(PHONE));
    const url = callbackUrl(payment.id);
    expect(await deliver(url, resultBody(payment.platformId as string, url))).toMatchObject({
      status: 200,
    });
    await deliver(merchant.webhookUrl, 'not JSON');
    await merchant.received.next('delivery.unrecognised');
    expect(await merchant.payments.find(payment.id)).toMatchObject({ state: 'pending' });
    expect(merchant.received.named('payment.succeeded')).toHaveLength(0);
  });

  it('lead to an event for a webhook only if the platform lists its transaction', async () => {
    const url = merchant.webhookUrl;
    const paid = await merchant.simulator.payTill({
      tillNumber: '514459',
      phoneNumber: '+254700000077',
      amount: 100,
      silent: true,
    });
    const time = new Date().toISOString();
    await deliver(url, webhookBody({ reference: 'FORGED', origination_time: time }));
    await deliver(
      url,
      webhookBody({ reference: paid.reference, amount: '999.0', origination_time: time }),
    );
    await deliver(
      url,
      webhookBody({ reference: paid.reference, amount: '100.0', origination_time: time }),
    );
    const { via, transaction } = await merchant.received.next('till.transaction.received');
    expect(via).toBe('sweep');
    expect(transaction).toMatchObject({
      reference: paid.reference,
      amount: '100.0',
      senderPhoneNumber: '+254700000077',
    });
    expect(merchant.received.named('till.transaction.received')).toHaveLength(1);
  });

  it('leave no MAC in stored rows, reads and events', async () => {
    const payment = await merchant.payments.request(aRequestFrom('+254700000001'));
    const url = callbackUrl(payment.id);
    const mac = url.slice(url.lastIndexOf('/') + 1);
    const { transaction, payment: emitted } = await merchant.received.next('payment.succeeded');
    expect(kept.length).toBeGreaterThan(0);
    const everything = [
      ...kept.map(({ body }) => body.toString('latin1')),
      JSON.stringify([transaction, emitted, await merchant.payments.history(payment.id)]),
    ];
    expect(everything.join('\n')).not.toContain(mac);
    expect(await merchant.app.get(DeliveriesService).find(kept[0]?.id as string)).not.toBeNull();
  });

  it('are still accepted when they are signed with the previous secret', async () => {
    const rotated = await Merchant.open({
      payments: { apiKeys: [], urlSecrets: [OLD_SECRET] },
    });
    const path = new URL(rotated.webhookUrl).pathname;
    await rotated.close();
    expect(await deliver(merchant.url + path, 'not JSON')).toMatchObject({ status: 200 });
    expect(merchant.webhookUrl).not.toContain(path);
  });
});
