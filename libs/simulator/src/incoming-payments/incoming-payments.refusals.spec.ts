import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { payment } from '../testing/platform-client.fixture.js';
import { startPlatform, type Platform } from '../testing/platform.fixture.js';

const PATH = '/api/v2/incoming_payments';

describe('A create of an incoming payment', () => {
  let platform: Platform;

  beforeAll(async () => {
    platform = await startPlatform();
  });

  afterAll(() => platform.stop());

  it.each([
    ['an amount in a string', { value: '100' }, 'amount.value must be a number'],
    ['an amount of 0', { value: 0 }, 'amount.value must be greater than 0'],
    ['a negative amount', { value: -1 }, 'amount.value must be greater than 0'],
    [
      'more decimals than the currency has',
      { value: 1.005 },
      'amount.value has more decimals than KES has',
    ],
    [
      'cents of a currency without',
      { value: 1.5, currency: 'UGX' },
      'amount.value has more decimals than UGX has',
    ],
    [
      'a currency that does not exist',
      { currency: 'ABC' },
      'amount.currency must be an ISO 4217 code',
    ],
    ['a currency in lower case', { currency: 'kes' }, 'amount.currency must be an ISO 4217 code'],
    [
      'a phone number without +',
      { phone: '254700000001' },
      'subscriber.phone_number must be in international format with +',
    ],
    [
      'a local phone number',
      { phone: '0700000001' },
      'subscriber.phone_number must be in international format with +',
    ],
    [
      'a till of letters',
      { till: 'shop' },
      'till_number must be digits, or K and digits, in a string',
    ],
    [
      'a K without digits',
      { till: 'K' },
      'till_number must be digits, or K and digits, in a string',
    ],
    [
      'a plain http callback',
      { callbackUrl: 'http://shop.example/cb' },
      '_links.callback_url must be an HTTPS URL',
    ],
    [
      'a callback that is no URL',
      { callbackUrl: '/cb' },
      '_links.callback_url must be an absolute HTTPS URL',
    ],
    [
      'a callback with credentials',
      { callbackUrl: 'https://a:b@shop.example' },
      '_links.callback_url must not contain credentials',
    ],
    [
      'metadata of 6 keys',
      { metadata: { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 } },
      'metadata must have at most 5 key-value pairs',
    ],
    ['metadata that is a list', { metadata: [] }, 'metadata must be an object'],
    ['nested metadata', { metadata: { a: { b: 1 } } }, 'metadata must not be nested'],
  ])('is refused for %s', async (_, changes, message) => {
    const answer = await platform.client.post(PATH, payment(changes));
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ error_code: 400, error_message: message });
  });

  it.each(['payment_channel', 'till_number', 'subscriber', 'amount', '_links'])(
    'is refused without %s',
    async (name) => {
      const { [name]: _, ...body } = payment() as Record<string, unknown>;
      const answer = await platform.client.post(PATH, body);
      expect(answer.body).toEqual({ error_code: 400, error_message: `${name} is missing` });
    },
  );

  it('is refused with an array that names every mistake', async () => {
    const answer = await platform.client.post(PATH, payment({ value: 0, phone: '1' }));
    expect(answer.body.error_message).toEqual([
      'subscriber.phone_number must be in international format with +',
      'amount.value must be greater than 0',
    ]);
  });

  it('is refused with an unknown field, also a nested one', async () => {
    const body = payment();
    const answer = await platform.client.post(PATH, {
      ...body,
      amount: { ...body.amount, tip: 1 },
      callback: 'x',
    });
    expect(answer.body.error_message).toEqual([
      'amount.tip is not a known field',
      'callback is not a known field',
    ]);
  });

  it('is refused with 422 for an unknown till', async () => {
    const answer = await platform.client.post(PATH, payment({ till: '999999' }));
    expect(answer.body).toEqual({
      error_code: 422,
      error_message: 'till_number 999999 is not known',
    });
  });

  it('is refused with an invalid email address', async () => {
    const body = payment();
    const answer = await platform.client.post(PATH, {
      ...body,
      subscriber: { ...body.subscriber, email: 'jane' },
    });
    expect(answer.body.error_message).toBe('subscriber.email must be an email address');
  });

  it.each([
    ['user-agent', 'axios/1.21'],
    ['accept', 'text/html'],
    ['content-type', 'text/plain'],
  ])('is refused with the header %s of %s', async (name, value) => {
    const answer = await platform.client.post(PATH, payment(), { [name]: value });
    expect(answer.body).toEqual({ error_code: answer.status, error_message: expect.any(String) });
    expect([400, 406, 415]).toContain(answer.status);
  });

  it('is refused with a body that is not an object', async () => {
    const answer = await platform.client.post(PATH, '[]');
    expect(answer.body).toEqual({ error_code: 400, error_message: 'The body must be an object' });
  });

  it('is refused with a body that is too large', async () => {
    const answer = await platform.client.post(PATH, 'x'.repeat(1_100_000));
    expect(answer.body).toEqual({ error_code: 413, error_message: expect.any(String) });
  });

  it('does not create other payments: the read of an unknown id is answered 404', async () => {
    const answer = await platform.client.get(`${PATH}/none`);
    expect(answer.body).toEqual({
      error_code: 404,
      error_message: 'The incoming payment was not found',
    });
  });

  it('is refused with 404 at a path that is not an endpoint', async () => {
    expect(await platform.client.get('/api/v3/anything')).toMatchObject({
      status: 404,
      body: { error_code: 404 },
    });
  });

  it('is refused with 400 at a URL that cannot be decoded', async () => {
    expect(await platform.client.get(`${PATH}/%zz`)).toMatchObject({
      status: 400,
      body: { error_code: 400 },
    });
  });

  it('is accepted with leading zeros, a K, an exponent, or no metadata', async () => {
    const { metadata: _, ...body } = payment({ till: '000123' });
    expect((await platform.client.post(PATH, body)).status).toBe(201);
    expect((await platform.client.post(PATH, payment({ till: 'K000123' }))).status).toBe(201);
    expect(
      (await platform.client.post(PATH, JSON.stringify(payment()).replace('100', '1e2'))).status,
    ).toBe(201);
  });

  it('is not carried out when it is refused', async () => {
    const before = platform.simulator.charges().length;
    await platform.client.post(PATH, payment({ value: 0 }));
    await platform.client.post(PATH, payment(), { 'user-agent': null });
    expect(platform.simulator.charges()).toHaveLength(before);
  });

  it('is accepted with a plain-http callback to an allowed host', async () => {
    await platform.stop();
    platform = await startPlatform({ allowPlainCallbackHosts: ['shop.internal'] });
    expect(
      (await platform.client.post(PATH, payment({ callbackUrl: 'http://shop.internal/cb' })))
        .status,
    ).toBe(201);
  });

  it('is accepted in the form of older clients without strict', async () => {
    await platform.stop();
    platform = await startPlatform({ strict: false });
    const answer = await platform.client.post(
      PATH,
      { ...payment({ value: '100' }), extra: true },
      { 'user-agent': 'Old-SDK', accept: '*/*' },
    );
    expect(answer.status).toBe(201);
    expect(platform.simulator.charges()[0]!.amount).toBe(100);
  });
});
