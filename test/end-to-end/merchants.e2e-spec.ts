import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WebhookSubscriptionsService } from '@tillkit/payments';
import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';
import { aRequest, Merchant } from '../support/merchant.js';

describe('Two merchants of one platform', () => {
  let simulator: Simulator;
  let merchants: Merchant[] = [];

  beforeEach(async () => {
    simulator = await Simulator.start({
      timings: INSTANT_TIMINGS,
      seed: 1,
      merchants: [
        { name: 'one', tillNumbers: ['100001'] },
        { name: 'two', tillNumbers: ['200002'] },
      ],
    });
  });

  afterEach(async () => {
    await Promise.all([...merchants.map((merchant) => merchant.close()), simulator.stop()]);
    merchants = [];
  });

  const open = async (name: string, apiKeys?: string[]): Promise<Merchant> => {
    const payments = apiKeys && { apiKeys };
    const merchant = await Merchant.open({
      shared: simulator,
      name,
      ...(payments && { payments }),
    });
    merchants.push(merchant);
    return merchant;
  };

  it('each get the events of their own payments and of their own money only', async () => {
    const [one, two] = [await open('one'), await open('two')];
    for (const merchant of [one, two]) {
      await merchant.app.get(WebhookSubscriptionsService).create({
        eventType: 'buygoods_transaction_received',
        scope: 'company',
      });
    }
    const payment = await one.payments.request(aRequest());
    await one.received.next('payment.succeeded');
    await simulator.idle();
    expect((await one.payments.find(payment.id))?.state).toBe('succeeded');
    expect(two.received.events).toEqual([]);
    expect([one.creates(), two.creates()]).toEqual([1, 0]);
    expect(simulator.deliveries.list({ merchant: 'two' })).toEqual([]);
    expect(simulator.deliveries.list({ merchant: 'one', state: 'delivered' })).toHaveLength(2);
  });

  it('have deliveries with the key of the other refused, and those with their own rotated key accepted', async () => {
    const { apiKey } = simulator.merchants.get('one');
    const [one, two] = [await open('one', [apiKey, 'next-key']), await open('two', [apiKey])];
    simulator.merchants.get('one').rotateApiKey({ apiKey: 'next-key' });
    await Promise.all([one.payments.request(aRequest()), two.payments.request(aRequest())]);
    await one.received.next('payment.succeeded');
    await simulator.idle();
    const [refused] = simulator.deliveries.list({ merchant: 'two' });
    expect(refused!.attempts[0]!.status).toBe(401);
    expect(simulator.deliveries.list({ merchant: 'one' })[0]!.attempts[0]!.status).toBe(200);
  });
});
