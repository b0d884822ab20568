import { afterEach, describe, expect, it } from '@jest/globals';
import { DeliveriesService, type PaymentsOptions } from '@tillkit/payments';
import { deliverSigned, resultBody } from '../support/deliver.js';
import { aRequestFrom, Merchant } from '../support/merchant.js';
import { WatchedDeliveries } from '../support/watched.deliveries.js';

const HANDSET = '+254700000014';
const HOUR = 3_600_000;

describe('Unapplied results', () => {
  let merchant: Merchant;
  let watched: WatchedDeliveries;

  const open = async (payments: PaymentsOptions = {}): Promise<Merchant> => {
    watched = new WatchedDeliveries();
    merchant = await Merchant.open({ payments: watched.options(payments) });
    return merchant;
  };

  afterEach(() => merchant.close());

  const nobodys = (): string =>
    resultBody('nobody', `${merchant.url}/payments/callbacks/incoming-payments/nobody`);
  const url = (): string => `${merchant.url}/payments/callbacks/incoming-payments/nobody`;

  it('wait for their payment, which may still be recorded', async () => {
    await open();
    await deliverSigned(url(), nobodys(), merchant.simulator.apiKey);
    const { state, lastError } = await watched.processed(({ lastError: error }) => error !== null);
    expect({ state, lastError }).toEqual({
      state: 'pending',
      lastError: 'it names no operation or request of this account',
    });
  });

  it('emit delivery.unrecognised after their time to wait, and can be reprocessed', async () => {
    await open({ deliveries: { unmatchedForMs: 50 } });
    await deliverSigned(url(), nobodys(), merchant.simulator.apiKey);
    const { deliveryId, topic } = await merchant.received.next('delivery.unrecognised');
    expect(topic).toBe('incoming_payment');
    const deliveries = merchant.app.get(DeliveriesService);
    expect(await deliveries.replay('nothing')).toBe(false);
    expect(await deliveries.replay(deliveryId)).toBe(true);
    watched.claimed.clear();
    await watched.processed(({ id, state }) => id === deliveryId && state === 'unrecognised');
    expect(merchant.received.named('delivery.unrecognised')).toHaveLength(1);
  });

  it('emit delivery.unrecognised when the store has failed for a day', async () => {
    await open();
    const { platformId, id } = await merchant.payments.request(aRequestFrom(HANDSET));
    const callback = `${merchant.url}/payments/callbacks/incoming-payments/${id}`;
    watched.failing = true;
    await deliverSigned(
      callback,
      resultBody(platformId as string, callback, {}, { sender_phone_number: HANDSET }),
      merchant.simulator.apiKey,
    );
    await watched.processed(({ lastError }) => lastError === 'the index is broken');
    watched.offsetMs = 25 * HOUR;
    const { deliveryId } = await merchant.received.next('delivery.unrecognised');
    watched.failing = false;
    await merchant.app.get(DeliveriesService).replay(deliveryId);
    expect((await merchant.received.next('payment.succeeded')).payment.id).toBe(id);
  });
});
