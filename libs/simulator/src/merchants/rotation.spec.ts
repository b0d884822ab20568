import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SIGNATURE_HEADER, sign } from '../deliveries/delivery-signature.service.js';
import { ONE_TILL, startTwoMerchants, type TwoMerchants } from '../testing/merchants.fixture.js';
import { SimulatedMerchant } from './merchant.model.js';
import { resolveMerchant } from './merchant.options.js';

const HOUR_MS = 3_600_000;

describe('The rotation of the credentials of a merchant', () => {
  let platform: TwoMerchants;

  beforeEach(async () => {
    platform = await startTwoMerchants();
  });

  afterEach(() => platform.stop());

  const merchant = () => platform.simulator.merchants.get('one');
  const tokenWith = async (clientSecret: string) =>
    (
      await platform.client.form('/oauth/token', {
        client_id: merchant().clientId,
        client_secret: clientSecret,
        grant_type: 'client_credentials',
      })
    ).status;
  /** Pays, and returns the key that signed the callback. */
  const signerOf = async (...keys: string[]) => {
    // The last token may have expired.
    await platform.client.authenticate();
    await platform.client.pay({ till: ONE_TILL, callbackUrl: platform.receiver.url });
    await platform.simulator.idle();
    const { raw, headers } = platform.receiver.received.at(-1)!;
    return keys.find((key) => sign(raw, key) === headers[SIGNATURE_HEADER.toLowerCase()]);
  };

  it('keeps the old secret valid until it is dropped, and the tokens that it got afterwards too', async () => {
    const old = merchant().clientSecret;
    const fresh = merchant().rotateSecret();
    expect(merchant().clientSecret).toBe(fresh);
    expect(merchant().clientSecrets).toEqual([fresh, old]);
    expect([await tokenWith(old), await tokenWith(fresh)]).toEqual([200, 200]);
    merchant().dropOldSecrets();
    expect([await tokenWith(old), await tokenWith(fresh)]).toEqual([401, 200]);
    expect((await platform.client.get('/oauth/token/info')).status).toBe(200);
  });

  it('takes a given secret, once, and changes no other merchant', async () => {
    const other = platform.simulator.merchants.get('two').clientSecret;
    merchant().rotateSecret('given');
    merchant().rotateSecret('given');
    expect(merchant().clientSecrets.filter((secret) => secret === 'given')).toHaveLength(1);
    expect(platform.simulator.merchants.get('two').clientSecrets).toEqual([other]);
  });

  it('signs with the new key at once', async () => {
    const old = merchant().apiKey;
    expect(await signerOf(old)).toBe(old);
    const fresh = merchant().rotateApiKey();
    expect(await signerOf(old, fresh)).toBe(fresh);
  });

  it('signs with the new key from a later moment on', async () => {
    const old = merchant().apiKey;
    const at = platform.simulator.clock.now() + 2 * HOUR_MS;
    merchant().rotateApiKey({ apiKey: 'later', at });
    expect(merchant().nextApiKey).toEqual({ apiKey: 'later', at: new Date(at).toISOString() });
    await platform.simulator.clock.advance(HOUR_MS);
    expect(await signerOf(old, 'later')).toBe(old);
    await platform.simulator.clock.advance(HOUR_MS);
    expect(await signerOf(old, 'later')).toBe('later');
    expect(merchant().nextApiKey).toBeNull();
  });

  it('signs the repetition of an older delivery with the new key', async () => {
    platform.receiver.answers = [500];
    const old = merchant().apiKey;
    expect(await signerOf(old)).toBe(old);
    merchant().rotateApiKey({ apiKey: 'fresh' });
    await platform.simulator.clock.advance(HOUR_MS);
    const { raw, headers } = platform.receiver.received.at(-1)!;
    expect(platform.receiver.received).toHaveLength(2);
    expect(headers[SIGNATURE_HEADER.toLowerCase()]).toBe(sign(raw, 'fresh'));
  });

  it.each([
    ['an empty secret', () => merchant().rotateSecret(''), /clientSecret must not be empty/],
    ['an empty key', () => merchant().rotateApiKey({ apiKey: '' }), /apiKey must not be empty/],
    [
      'a moment that is none',
      () => merchant().rotateApiKey({ at: new Date('no') }),
      /at must be a number/,
    ],
  ])('refuses %s', (_, rotate, message) => {
    expect(rotate).toThrow(message);
  });
});

describe('The key of a merchant', () => {
  const clock = {
    now: () => Date.UTC(2026, 0, 1) + clock.passed + clock.skewed,
    timeline: () => clock.passed,
    passed: 0,
    skewed: 0,
  };
  let merchant: SimulatedMerchant;

  beforeEach(() => {
    clock.passed = 0;
    clock.skewed = 0;
    const settings = resolveMerchant({ name: 'one', apiKey: 'old', tillNumbers: [] });
    merchant = new SimulatedMerchant(settings, clock);
  });

  it('changes exactly at the given moment', () => {
    merchant.rotateApiKey({ apiKey: 'new', at: clock.now() + 1_000 });
    clock.passed = 999;
    expect(merchant.apiKey).toBe('old');
    clock.passed = 1_000;
    expect(merchant.apiKey).toBe('new');
    clock.passed = 1_001;
    expect(merchant.apiKey).toBe('new');
  });

  it('does not change when only the clock is wrong', () => {
    merchant.rotateApiKey({ apiKey: 'new', at: clock.now() + 1_000 });
    clock.skewed = 5_000;
    expect(merchant.apiKey).toBe('old');
  });

  it('changes at once for a moment that has passed', () => {
    merchant.rotateApiKey({ apiKey: 'new', at: clock.now() - 1 });
    expect(merchant.apiKey).toBe('new');
  });

  it('changes to the last key that was set when two wait for their moment', () => {
    merchant.rotateApiKey({ apiKey: 'never', at: clock.now() + 1_000 });
    merchant.rotateApiKey({ apiKey: 'new', at: clock.now() + 2_000 });
    clock.passed = 1_500;
    expect(merchant.apiKey).toBe('old');
    clock.passed = 2_000;
    expect(merchant.apiKey).toBe('new');
  });

  it('stays the due one until the moment of the next, also when nobody has read it between', () => {
    merchant.rotateApiKey({ apiKey: 'second', at: clock.now() + 1_000 });
    clock.passed = 1_000;
    merchant.rotateApiKey({ apiKey: 'third', at: clock.now() + 1_000 });
    expect(merchant.apiKey).toBe('second');
  });
});
