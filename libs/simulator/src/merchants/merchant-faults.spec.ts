import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  ONE_TILL,
  startTwoMerchants,
  TWO_TILL,
  type TwoMerchants,
} from '../testing/merchants.fixture.js';
import { payment } from '../testing/platform-client.fixture.js';

const PATH = '/api/v2/incoming_payments';

describe('The faults of one merchant', () => {
  let platform: TwoMerchants;

  beforeEach(async () => {
    platform = await startTwoMerchants({ seed: 1 });
  });

  afterEach(() => platform.stop());

  const createOf = async (name: 'one' | 'two') =>
    name === 'one'
      ? platform.client.post(PATH, payment({ till: ONE_TILL, callbackUrl: platform.receiver.url }))
      : platform.other.post(PATH, payment({ till: TWO_TILL, callbackUrl: platform.receiver.url }));
  const statuses = async () => [(await createOf('one')).status, (await createOf('two')).status];

  it('limit the rate of its requests, and not that of the others', async () => {
    platform.simulator.faults.rate('create-429', 1, { match: { merchant: 'one' } });
    expect(await statuses()).toEqual([429, 201]);
  });

  it('are used instead of those of all merchants', async () => {
    const { faults } = platform.simulator;
    faults.rate('create-429', 1, { retryAfter: 60 });
    faults.rate('create-429', 1, { retryAfter: 5, match: { merchant: 'two' } });
    const retryAfter = async (name: 'one' | 'two') =>
      (await createOf(name)).headers.get('retry-after');
    expect([await retryAfter('one'), await retryAfter('two')]).toEqual(['60', '5']);
    faults.rate('create-429', 0, { match: { merchant: 'two' } });
    expect(await retryAfter('two')).toBe('60');
    faults.rate('create-429', 0);
    expect(await statuses()).toEqual([201, 201]);
  });

  it('can be set for several merchants at once, and are listed for each', async () => {
    const { faults } = platform.simulator;
    faults.rate('create-429', 1, { match: { merchant: 'one' } });
    faults.rate('create-429', 1, { match: { merchant: 'two' } });
    faults.once('create-429', { merchant: 'three' });
    await statuses();
    expect(faults.settings()).toEqual([
      expect.objectContaining({ match: { merchant: 'one' }, rate: 1, once: 0, injected: 1 }),
      expect.objectContaining({ match: { merchant: 'three' }, rate: 0, once: 1, injected: 0 }),
      expect.objectContaining({ match: { merchant: 'two' }, rate: 1, once: 0, injected: 1 }),
    ]);
    faults.clear('create-429');
    expect(await statuses()).toEqual([201, 201]);
  });

  it('end without those of the others, and those of all end without those of one', async () => {
    const { faults } = platform.simulator;
    const active = () =>
      faults
        .settings()
        .filter(({ rate, once }) => rate > 0 || once > 0)
        .map(({ match }) => match.merchant);
    faults.rate('create-429', 1);
    faults.rate('create-429', 1, { match: { merchant: 'one' } });
    faults.once('create-429', { merchant: 'two' });
    faults.clear('create-429', 'one');
    expect(active()).toEqual([undefined, 'two']);
    faults.clear('create-429', '');
    expect(active()).toEqual(['two']);
    faults.clear(undefined, 'two');
    expect(active()).toEqual([]);
  });

  it('are injected once, into its next request', async () => {
    platform.simulator.faults.once('create-429', { merchant: 'two' });
    expect([await statuses(), await statuses()]).toEqual([
      [201, 429],
      [201, 201],
    ]);
  });

  it('fail its requests for a token', async () => {
    platform.simulator.faults.once('token-5xx', { merchant: 'two' });
    expect((await platform.client.authenticate()).status).toBe(200);
    expect((await platform.other.authenticate()).status).toBe(500);
  });

  it('change its results and its deliveries', async () => {
    const { faults, deliveries } = platform.simulator;
    faults.rate('unknown-status', 1, { match: { merchant: 'one' } });
    faults.rate('lose', 1, { match: { merchant: 'two' } });
    await statuses();
    await platform.simulator.idle();
    expect(platform.arrivals()).toEqual(['Settling']);
    expect(deliveries.list({ merchant: 'two' })).toEqual([
      expect.objectContaining({ state: 'lost' }),
    ]);
  });

  it('repeat and reorder none of the deliveries of others', async () => {
    const { faults, deliveries } = platform.simulator;
    await createOf('two');
    await platform.simulator.idle();
    faults.once('replay', { merchant: 'one' });
    faults.once('reorder', { merchant: 'two' });
    await createOf('two');
    await platform.simulator.idle();
    await createOf('one');
    await platform.simulator.idle();
    expect(deliveries.list({ merchant: 'one' }).map(({ attempts }) => attempts.length)).toEqual([
      2,
    ]);
    expect(deliveries.list({ merchant: 'two' }).map(({ attempts }) => attempts.length)).toEqual([
      1, 0,
    ]);
  });
});
