import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  ONE_TILL,
  startTwoMerchants,
  TWO_TILL,
  type TwoMerchants,
} from '../testing/merchants.fixture.js';
import { startPlatform } from '../testing/platform.fixture.js';

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
    expect(two.text).toContain('GET /_simulator/merchants/two');
    expect(two.text).toMatch(/<option selected>two<\/option>/);
  });

  it.each(['/?merchant=two', '/control?merchant=two', '/control'])(
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
    const all = (await get('/control')).text;
    expect(all).toContain(`<option value="${ONE_TILL}">${ONE_TILL} (one)</option>`);
    expect(all).toContain(`<option value="${TWO_TILL}">${TWO_TILL} (two)</option>`);
    const { text } = await get('/control?merchant=two');
    expect(text).toContain(`<option>${TWO_TILL}</option>`);
    expect(text).not.toContain(ONE_TILL);
  });

  it('say whose journal, balances and faults they show', async () => {
    const { text } = await get('/control?merchant=two');
    for (const name of ['Journal of two', 'Balances of two', 'Faults of two'])
      expect(text).toContain(name);
    expect((await get('/control')).text).not.toContain(' of two');
  });

  it.each(['/', '/control'])(
    'answer 404 on %s for a merchant that does not exist',
    async (path) => {
      const { status, text } = await get(`${path}?merchant=%3Cscript%3E`);
      expect(status).toBe(404);
      expect(text).toContain('There is no merchant “&lt;script&gt;”.');
    },
  );

  it('have no chooser with one merchant, and say how to add one when there is none', async () => {
    platform.simulator.merchants.remove('two');
    for (const path of ['/', '/control'])
      expect((await get(path)).text).not.toContain('name="merchant"');
    platform.simulator.merchants.remove('one');
    expect((await get('/')).text).toContain('POST /_simulator/merchants');
    expect((await get('/control')).status).toBe(200);
  });
});

describe('The pages of a simulator with the short form of the options', () => {
  it('name no merchant', async () => {
    const platform = await startPlatform();
    for (const path of ['/', '/control']) {
      const text = await (await fetch(platform.simulator.url + path)).text();
      expect(text).not.toContain('default');
    }
    await platform.stop();
  });
});
