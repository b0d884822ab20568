import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  ONE_TILL,
  startTwoMerchants,
  TWO_TILL,
  type TwoMerchants,
} from '../testing/merchants.fixture.js';
import { startPlatform } from '../testing/platform.fixture.js';

describe('The page of a simulator with two merchants', () => {
  let platform: TwoMerchants;

  beforeEach(async () => {
    platform = await startTwoMerchants();
  });

  afterEach(() => platform.stop());

  const get = async (path: string) => {
    const answer = await fetch(platform.simulator.url + path);
    return { status: answer.status, text: await answer.text() };
  };

  it('shows the settings of the chosen merchant, and of the first when none is chosen', async () => {
    const { merchants } = platform.simulator;
    const [one, two] = [await get('/'), await get('/?merchant=two')];
    expect(one.text).toContain(merchants.get('one').clientId);
    expect(one.text).not.toContain(merchants.get('two').clientId);
    expect(two.text).toContain(merchants.get('two').clientId);
    expect(two.text).toContain(merchants.get('two').apiKey);
    expect(two.text).toMatch(/<option selected>two<\/option>/);
  });

  it('shows the secrets of the chosen merchant only', async () => {
    const { text } = await get('/?merchant=two');
    const { merchants } = platform.simulator;
    expect(text).toContain('Settings of your application for two');
    expect(text).toContain(merchants.get('two').clientSecret);
    expect(text).not.toContain(merchants.get('one').clientSecret);
    expect(text).not.toContain(merchants.get('one').apiKey);
  });

  it('lets a person pay the tills of all merchants, or those of the chosen one', async () => {
    const all = (await get('/')).text;
    expect(all).toContain(`<option>${ONE_TILL}</option>`);
    expect(all).toContain(`<option>${TWO_TILL}</option>`);
    const { text } = await get('/?merchant=two');
    expect(text).toContain(`<option>${TWO_TILL}</option>`);
    expect(text).not.toContain(ONE_TILL);
  });

  it('says whose activity and faults it shows', async () => {
    const { text } = await get('/?merchant=two');
    expect(text).toContain('Activity of two');
    expect(text).toContain('Faults of two');
    expect((await get('/')).text).not.toContain(' of two');
  });

  it('keeps the phones when a person chooses another merchant', async () => {
    const { text } = await get('/?merchant=two&phone=+254700000001');
    expect(text).toContain('<input type="hidden" name="phone" value="+254700000001" />');
  });

  it('answers 404 for a merchant that does not exist', async () => {
    const { status, text } = await get('/?merchant=%3Cscript%3E');
    expect(status).toBe(404);
    expect(text).toContain('There is no merchant “&lt;script&gt;”.');
  });

  it('has no choice with one merchant, and says how to add one when there is none', async () => {
    platform.simulator.merchants.remove('two');
    expect((await get('/')).text).not.toContain('name="merchant"');
    platform.simulator.merchants.remove('one');
    const { status, text } = await get('/');
    expect(status).toBe(200);
    expect(text).toContain('POST /_simulator/merchants');
  });
});

describe('The page of a simulator with the short form of the options', () => {
  it('names no merchant', async () => {
    const platform = await startPlatform();
    const text = await (await fetch(platform.simulator.url)).text();
    expect(text).not.toContain('default');
    await platform.stop();
  });
});
