import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { balanceOf } from '../testing/money-out.fixture.js';
import { idOf } from '../testing/platform-client.fixture.js';
import { startPlatform, type Platform } from '../testing/platform.fixture.js';

const PATH = '/api/v2/payment_links';
const PAYER = { phoneNumber: '+254700000001' };
const WEEK = 7 * 86_400_000;

describe('A payment link at the simulator', () => {
  let platform: Platform;

  beforeEach(async () => {
    platform = await startPlatform();
  });

  afterEach(() => platform.stop());

  const post = async (changes: Record<string, unknown> = {}) =>
    platform.client.post(PATH, {
      till_number: '514459',
      currency: 'KES',
      amount: 250.5,
      payment_reference: 'INV-9',
      note: 'Shoes',
      metadata: { order: '9' },
      _links: { callback_url: `${platform.receiver.url}/links` },
      ...changes,
    });
  const create = async () => {
    const answer = await post();
    if (answer.status !== 201) throw new Error(`Refused: ${JSON.stringify(answer.body)}`);
    await platform.simulator.idle();
    return idOf(answer);
  };
  const cancel = async (id: string) => platform.client.post(`${PATH}/${id}/cancel`, {});
  const read = async (id: string) =>
    (await platform.client.get(`${PATH}/${id}`)).body.data as {
      attributes: { status: string; payment_link: unknown };
    };
  const callbacks = () => platform.receiver.received.filter(({ body }) => body.data !== undefined);

  it('reads as the platform publishes it while it is open', async () => {
    const id = await create();
    expect(await read(id)).toEqual({
      id,
      type: 'payment_link',
      attributes: {
        status: 'Processed',
        created_at: expect.stringMatching(/\+03:00$/),
        till_name: 'Till 514459',
        till_number: '514459',
        currency: 'KES',
        amount: 250.5,
        payment_reference: 'INV-9',
        note: 'Shoes',
        payment_link: {
          payment_link_status: 'Active',
          expires_at: expect.stringMatching(/\+03:00$/),
          initiator_name: 'Simulated Merchant',
          link: `${platform.simulator.url}/links/${id}`,
        },
        errors: null,
        metadata: { order: '9' },
        _links: {
          callback_url: `${platform.receiver.url}/links`,
          self: `${platform.simulator.url}${PATH}/${id}`,
        },
      },
    });
    expect(callbacks()).toEqual([]);
  });

  it('has no link until the platform has made it, and cannot be paid before', async () => {
    await platform.stop();
    platform = await startPlatform({ timings: { payoutScheduling: 1_000 } });
    const id = await create();
    expect((await read(id)).attributes).toMatchObject({ status: 'Received', payment_link: null });
    await expect(platform.simulator.payLink(id, PAYER)).rejects.toThrow(/is pending/);
    await platform.simulator.clock.advance(1_000);
    expect((await read(id)).attributes).toMatchObject({ status: 'Processed' });
  });

  it('moves the money when it is paid, and sends the webhook and a callback with another key', async () => {
    await platform.subscribe();
    const id = await create();
    const { reference } = await platform.simulator.payLink(id, PAYER);
    expect(balanceOf(platform, 'till:514459')).toBe(25_050);
    const data = await read(id);
    expect(data.attributes.payment_link).toEqual({
      status: 'Paid',
      expires_at: expect.any(String),
      link: `${platform.simulator.url}/links/${id}`,
      transaction_reference: reference,
      sender_phone_number: '+254700000001',
      origination_time: expect.stringMatching(/\+03:00$/),
    });
    expect(callbacks().map(({ body }) => body as unknown)).toEqual([{ data }]);
    const webhook = platform.receiver.received.find(({ body }) => body.topic !== undefined);
    expect(webhook!.body.event.resource).toMatchObject({ reference, amount: '250.5' });
    expect(platform.simulator.links()).toMatchObject([
      { linkId: id, state: 'paid', reference, phone: '+254700000001', metadata: { order: '9' } },
    ]);
  });

  it('can be paid once, also by two customers at the same time', async () => {
    const id = await create();
    const results = await Promise.allSettled([
      platform.simulator.payLink(id, PAYER),
      platform.simulator.payLink(id, { phoneNumber: '+254700000003' }),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    await expect(platform.simulator.payLink(id, PAYER)).rejects.toThrow(/is paid/);
    expect(balanceOf(platform, 'till:514459')).toBe(25_050);
  });

  it('can be cancelled, which sends no callback, and cannot be paid then', async () => {
    const id = await create();
    expect(await cancel(id)).toMatchObject({
      status: 200,
      body: { message: 'Payment link cancelled.' },
    });
    await expect(platform.simulator.payLink(id, PAYER)).rejects.toThrow(/is cancelled/);
    expect((await read(id)).attributes.payment_link).toMatchObject({
      payment_link_status: 'Cancelled',
    });
    expect((await cancel(id)).body).toEqual({
      error_code: 400,
      error_message: 'Payment link is already cancelled',
    });
    expect(callbacks()).toEqual([]);
  });

  it('cannot be cancelled after it was paid', async () => {
    const id = await create();
    await platform.simulator.payLink(id, PAYER);
    expect((await cancel(id)).status).toBe(400);
    expect(platform.simulator.links()).toMatchObject([{ state: 'paid' }]);
  });

  it('expires after 7 days, which sends no callback', async () => {
    const id = await create();
    await platform.simulator.clock.advance(WEEK - 60_000);
    expect(platform.simulator.links()).toMatchObject([{ state: 'active' }]);
    await platform.simulator.clock.advance(60_000);
    expect(platform.simulator.links()).toMatchObject([{ state: 'expired' }]);
    await expect(platform.simulator.payLink(id, PAYER)).rejects.toThrow(/is expired/);
    expect(callbacks()).toEqual([]);
  });

  it.each([
    ['cancelled', (id: string) => cancel(id)],
    ['paid', (id: string) => platform.simulator.payLink(id, PAYER)],
  ])('stays %s after the time at which it would have expired', async (state, end) => {
    await end(await create());
    await platform.simulator.clock.advance(WEEK);
    expect(platform.simulator.links()).toMatchObject([{ state }]);
  });

  it.each([
    ['an unknown till', { till_number: '999' }, 'Till number is invalid'],
    ['another currency', { currency: 'USD' }, 'currency must be KES'],
    ['an amount in a string', { amount: '9' }, 'amount must be a number'],
    ['a missing callback URL', { _links: undefined }, '_links is missing'],
  ])('is refused for %s', async (_, changes, message) => {
    expect(await post(changes)).toMatchObject({ status: 400, body: { error_message: message } });
    expect(platform.simulator.links()).toEqual([]);
  });

  it('that does not exist is answered 404, and payLink throws', async () => {
    expect((await platform.client.get(`${PATH}/none`)).status).toBe(404);
    expect((await cancel('none')).status).toBe(404);
    await expect(platform.simulator.payLink('none', PAYER)).rejects.toThrow(/no payment link/);
  });

  it('is not cancelled by a cancel that a fault stops before the commit', async () => {
    const id = await create();
    platform.simulator.faults.once('create-5xx-before-commit', { resource: 'payment_links' });
    platform.simulator.faults.once('create-5xx-after-commit', { resource: 'payment_links' });
    expect((await cancel(id)).status).toBe(503);
    expect(platform.simulator.links()).toMatchObject([{ state: 'active' }]);
    expect((await cancel(id)).status).toBe(502);
    expect(platform.simulator.links()).toMatchObject([{ state: 'cancelled' }]);
  });
});
