import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  ONE_TILL,
  startTwoMerchants,
  TWO_TILL,
  type TwoMerchants,
} from '../testing/merchants.fixture.js';
import { startPlatform } from '../testing/platform.fixture.js';

const PAGES = ['/', '/control', '/control/faults', '/control/money', '/control/connect'];

describe('The pages of a simulator with two merchants', () => {
  let platform: TwoMerchants;

  beforeEach(async () => {
    platform = await startTwoMerchants();
  });

  afterEach(() => platform.stop());

  const get = async (path: string) => {
    const answer = await fetch(platform.simulator.url + path);
    return { status: answer.status, text: await answer.text() };
  };

  it('show the settings of the chosen merchant, and of the first when none is chosen', async () => {
    const { merchants } = platform.simulator;
    const [one, two] = [await get('/'), await get('/?merchant=two')];
    expect(one.text).toContain(merchants.get('one').clientId);
    expect(one.text).not.toContain(merchants.get('two').clientId);
    expect(two.text).toContain(merchants.get('two').clientId);
    expect(two.text).toContain(merchants.get('two').apiKey);
    expect(two.text).toMatch(/<option selected>two<\/option>/);
  });

  it.each(['/', '/control/connect'])(
    'show on %s the secrets of the chosen merchant only',
    async (path) => {
      const { text } = await get(`${path}?merchant=two`);
      const { merchants } = platform.simulator;
      expect(text).toContain('Settings of your application for two');
      expect(text).toContain(merchants.get('two').clientSecret);
      expect(text).not.toContain(merchants.get('one').clientSecret);
      expect(text).not.toContain(merchants.get('one').apiKey);
    },
  );

  it.each(['/control?merchant=two', '/control', '/control/faults', '/control/money'])(
    'show no secret on %s',
    async (path) => {
      const { text } = await get(path);
      for (const { clientSecret, apiKey } of platform.simulator.merchants.list()) {
        expect(text).not.toContain(clientSecret);
        expect(text).not.toContain(apiKey);
      }
    },
  );

  it('let a person pay the tills of all merchants, or those of the chosen one', async () => {
    const all = (await get('/control/money')).text;
    expect(all).toContain(`<option value="${ONE_TILL}">${ONE_TILL} (one)</option>`);
    expect(all).toContain(`<option value="${TWO_TILL}">${TWO_TILL} (two)</option>`);
    const { text } = await get('/control/money?merchant=two');
    expect(text).toContain(`<option>${TWO_TILL}</option>`);
    expect(text).not.toContain(ONE_TILL);
  });

  it.each([
    ['/control', 'Activity of two'],
    ['/control/faults', 'Faults of two'],
    ['/control/money', 'Balances of two'],
  ])('say whose things %s shows, and lead to those of the same merchant', async (path, title) => {
    const { text } = await get(`${path}?merchant=two`);
    expect(text).toContain(title);
    expect(text).toContain('href="/control/faults?merchant=two"');
    expect((await get(path)).text).not.toContain(' of two');
  });

  it.each(PAGES)('answer 404 on %s for a merchant that does not exist', async (path) => {
    const { status, text } = await get(`${path}?merchant=%3Cscript%3E`);
    expect(status).toBe(404);
    expect(text).toContain('There is no merchant “&lt;script&gt;”.');
  });

  it('have no chooser with one merchant, and say how to add one when there is none', async () => {
    platform.simulator.merchants.remove('two');
    for (const path of PAGES) expect((await get(path)).text).not.toContain('name="merchant"');
    platform.simulator.merchants.remove('one');
    for (const path of ['/', '/control/connect'])
      expect((await get(path)).text).toContain('POST /_simulator/merchants');
    for (const path of PAGES) expect((await get(path)).status).toBe(200);
  });
});

describe('The pages of a simulator with the short form of the options', () => {
  it('name no merchant', async () => {
    const platform = await startPlatform();
    for (const path of PAGES) {
      const text = await (await fetch(platform.simulator.url + path)).text();
      expect(text).not.toContain('default');
    }
    await platform.stop();
  });
});
