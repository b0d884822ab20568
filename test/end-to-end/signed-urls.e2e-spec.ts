import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Inbox, MemoryStore, type DeliveryRecord } from '@tillkit/payments';
import { deliver, resultBody, webhookBody } from '../support/deliver.js';
import { aRequestFrom, Merchant } from '../support/merchant.js';
import { PLATFORMS } from '../support/platforms.js';

const SECRET = 'a-secret-of-more-than-32-characters-0001';
const OLD_SECRET = 'a-secret-of-more-than-32-characters-0000';
const PHONE = '+254700000014';

describe.each(PLATFORMS)('URLs as the only means of verification on $platform', (platform) => {
  let merchant: Merchant;
  const kept: DeliveryRecord[] = [];

  class WatchedStore extends MemoryStore {
    override async claimDeliveries(...args: Parameters<MemoryStore['claimDeliveries']>) {
      const claimed = await super.claimDeliveries(...args);
      kept.push(...claimed);
      return claimed;
    }
  }

  beforeEach(async () => {
    kept.length = 0;
    merchant = await Merchant.open({
      platform,
      payments: { apiKeys: [], urlSecrets: [SECRET, OLD_SECRET], store: new WatchedStore() },
    });
  });

  afterEach(() => merchant.close());

  /** The URL handed out for a payment, as the platform knows it. */
  const callbackUrl = (id: string): string => {
    const charge = merchant.simulator.charges().find(({ callbackUrl }) => callbackUrl.includes(id));
    return charge?.callbackUrl ?? '';
  };

  it('takes a payment to its end through the platform, confirming each callback with a read', async () => {
    await merchant.payments.request(aRequestFrom('+254700000001'));
    const { via } = await merchant.heard.next('payment.succeeded');
    expect(via).toBe('status');
  });

  it('refuses a URL without MAC, with a wrong one, and with the MAC of another payment', async () => {
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

  it('keeps no callback waiting while its payment waits to be read', async () => {
    await merchant.close();
    const store = new MemoryStore();
    // One read in twenty seconds.
    const reconciliation = { sweepEveryMs: 0, requestsPerSecond: 0.05 };
    merchant = await Merchant.open({
      platform,
      payments: { apiKeys: [], urlSecrets: [SECRET], store, reconciliation },
    });
    for (const phone of [PHONE, '+254700000114', '+254700000214']) {
      const { id, platformId } = await merchant.payments.request(aRequestFrom(phone));
      await deliver(callbackUrl(id), resultBody(platformId as string, callbackUrl(id)));
    }
    const done = async (): Promise<number> =>
      (await store.listDeliveries('default', { state: 'done' }, { limit: 10 })).items.length;
    while ((await done()) < 3) await new Promise((resolve) => setTimeout(resolve, 10));
  });

  it('believes no forged success: what the platform answers counts', async () => {
    const payment = await merchant.payments.request(aRequestFrom(PHONE));
    const url = callbackUrl(payment.id);
    expect(await deliver(url, resultBody(payment.platformId as string, url))).toMatchObject({
      status: 200,
    });
    await deliver(merchant.payments.webhookUrl(), 'not JSON');
    await merchant.heard.next('delivery.unrecognised');
    expect(await merchant.payments.find(payment.id)).toMatchObject({ state: 'pending' });
    expect(merchant.heard.named('payment.succeeded')).toHaveLength(0);
  });

  it('takes a webhook for a hint, and tells the transaction only if the platform lists it', async () => {
    const url = merchant.payments.webhookUrl();
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
    const { via, transaction } = await merchant.heard.next('till.transaction.received');
    expect(via).toBe('sweep');
    expect(transaction).toMatchObject({
      reference: paid.reference,
      amount: '100.0',
      senderPhoneNumber: '+254700000077',
    });
    expect(merchant.heard.named('till.transaction.received')).toHaveLength(1);
  });

  it('keeps no MAC in what it stores, reads or tells', async () => {
    const payment = await merchant.payments.request(aRequestFrom('+254700000001'));
    const url = callbackUrl(payment.id);
    const mac = url.slice(url.lastIndexOf('/') + 1);
    const { transaction, payment: told } = await merchant.heard.next('payment.succeeded');
    expect(kept.length).toBeGreaterThan(0);
    const everything = [
      ...kept.map(({ body }) => body.toString('latin1')),
      JSON.stringify([transaction, told, await merchant.payments.history(payment.id)]),
    ];
    expect(everything.join('\n')).not.toContain(mac);
    expect(await merchant.app.get(Inbox).find(kept[0]?.id as string)).not.toBeNull();
  });

  it('still takes URLs signed with the secret before the last rotation', async () => {
    const rotated = await Merchant.open({
      platform,
      payments: { apiKeys: [], urlSecrets: [OLD_SECRET] },
    });
    const path = new URL(rotated.payments.webhookUrl()).pathname;
    await rotated.close();
    expect(await deliver(merchant.url + path, 'not JSON')).toMatchObject({ status: 200 });
    expect(merchant.payments.webhookUrl()).not.toContain(path);
  });
});
