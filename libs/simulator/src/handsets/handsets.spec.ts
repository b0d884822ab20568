import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startPlatform, type Platform } from '../testing/platform.fixture.js';

const PHONE = '+254700000014';

describe('a handset', () => {
  let platform: Platform;

  beforeEach(async () => {
    platform = await startPlatform();
    await platform.client.pay({ phone: PHONE, callbackUrl: platform.receiver.url });
    await platform.simulator.idle();
  });

  afterEach(() => platform.stop());

  const handset = () => platform.simulator.handset(PHONE);
  const ended = async () => {
    await platform.simulator.idle();
    return platform.receiver.received.map(
      ({ body }) => body.data.attributes.event.errors as string[] | null,
    );
  };

  it('shows the prompt and waits for a person', async () => {
    expect(handset().prompts()).toEqual([
      expect.objectContaining({
        tillNumber: '514459',
        amount: 100,
        currency: 'KES',
        state: 'open',
      }),
    ]);
    expect(await ended()).toEqual([]);
  });

  it('pays with the PIN', async () => {
    handset().approve();
    expect(await ended()).toEqual([null]);
    expect(handset().prompts()).toEqual([expect.objectContaining({ state: 'approves' })]);
  });

  it('refuses another PIN', async () => {
    handset().approve('0000');
    expect(await ended()).toEqual([['The initiator information is invalid.']]);
  });

  it('refuses a wrong PIN', async () => {
    handset().wrongPin();
    expect(await ended()).toEqual([['The initiator information is invalid.']]);
  });

  it('cancels', async () => {
    handset().cancel();
    expect(await ended()).toEqual([['Request cancelled by user']]);
  });

  it('rings out after a minute', async () => {
    await platform.simulator.clock.advance(60_000);
    expect(await ended()).toEqual([['No response from user.']]);
  });

  it('lets the oldest prompt be answered first, or any by its id', async () => {
    await platform.client.pay({ phone: PHONE, callbackUrl: platform.receiver.url });
    await platform.simulator.idle();
    const [first, second] = handset().prompts();
    handset().cancel(second!.id);
    handset().approve();
    expect(handset().prompts()).toEqual([
      expect.objectContaining({ id: second!.id, state: 'cancels' }),
      expect.objectContaining({ id: first!.id, state: 'approves' }),
    ]);
  });

  it('says so when there is no prompt to answer', () => {
    handset().cancel();
    expect(() => handset().approve()).toThrow(/shows no open prompt/);
    expect(() => handset().approve('1234', 'none')).toThrow(/shows no open prompt/);
  });

  it('gets no prompt while it is off', async () => {
    handset().cancel();
    handset().switchOff();
    await platform.client.pay({ phone: PHONE, callbackUrl: platform.receiver.url });
    expect((await ended()).at(-1)).toEqual(['DS timeout user cannot be reached']);
    handset().switchOn();
    await platform.client.pay({ phone: PHONE });
    await platform.simulator.idle();
    expect(handset().prompts().at(-1)!.state).toBe('open');
  });

  it('needs a phone number', () => {
    expect(() => platform.simulator.handset('0700000001')).toThrow(/write it with \+/);
  });

  describe('with a scenario', () => {
    const SCRIPTED = '+254700000006';

    beforeEach(async () => {
      await platform.client.pay({ phone: SCRIPTED, callbackUrl: platform.receiver.url });
      await platform.simulator.idle();
    });

    it('lets a person be quicker', async () => {
      platform.simulator.handset(SCRIPTED).cancel();
      await platform.simulator.clock.advance(50_000);
      expect(await ended()).toEqual([['Request cancelled by user']]);
    });

    it('rings out when it is ignored, whatever the scenario wanted', async () => {
      platform.simulator.handset(SCRIPTED).ignore();
      await platform.simulator.clock.advance(59_000);
      expect(await ended()).toEqual([]);
      await platform.simulator.clock.advance(2_000);
      expect(await ended()).toContainEqual(['No response from user.']);
    });

    it('rings out when it is switched off meanwhile', async () => {
      platform.simulator.handset(SCRIPTED).switchOff();
      await platform.simulator.clock.advance(61_000);
      expect(await ended()).toContainEqual(['No response from user.']);
    });
  });

  it('gives no money from an empty account, even with the right PIN', async () => {
    await platform.stop();
    platform = await startPlatform({ timings: { prompt: 0, answer: 5_000, processing: 0 } });
    await platform.client.pay({ phone: '+254700000004', callbackUrl: platform.receiver.url });
    await platform.simulator.idle();
    platform.simulator.handset('+254700000004').approve();
    expect(await ended()).toEqual([['The balance is insufficient for the transaction']]);
  });
});
