import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startPlatform, type Platform } from '../testing/platform.fixture.js';

const PHONE = '+254700000014';

describe('A handset', () => {
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

  it('shows the prompt until a person answers', async () => {
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

  it('pays with the correct PIN', async () => {
    handset().approve();
    expect(await ended()).toEqual([null]);
    expect(handset().prompts()).toEqual([expect.objectContaining({ state: 'approves' })]);
  });

  it('fails the payment when approve() gets another PIN', async () => {
    handset().approve('0000');
    expect(await ended()).toEqual([['The initiator information is invalid.']]);
  });

  it('fails the payment on wrongPin()', async () => {
    handset().wrongPin();
    expect(await ended()).toEqual([['The initiator information is invalid.']]);
  });

  it('fails the payment on cancel()', async () => {
    handset().cancel();
    expect(await ended()).toEqual([['Request cancelled by user']]);
  });

  it('closes an unanswered prompt after a minute', async () => {
    await platform.simulator.clock.advance(60_000);
    expect(await ended()).toEqual([['No response from user.']]);
  });

  it('answers the oldest prompt, or the one with the given id', async () => {
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

  it('throws NoPromptError when there is no open prompt', () => {
    handset().cancel();
    expect(() => handset().approve()).toThrow(/shows no open prompt/);
    expect(() => handset().approve('1234', 'none')).toThrow(/shows no open prompt/);
  });

  it('gets no prompt while it is switched off', async () => {
    handset().cancel();
    handset().switchOff();
    await platform.client.pay({ phone: PHONE, callbackUrl: platform.receiver.url });
    expect((await ended()).at(-1)).toEqual(['DS timeout user cannot be reached']);
    handset().switchOn();
    await platform.client.pay({ phone: PHONE });
    await platform.simulator.idle();
    expect(handset().prompts().at(-1)!.state).toBe('open');
  });

  it('needs a valid phone number', () => {
    expect(() => platform.simulator.handset('0700000001')).toThrow(/Write it with \+/);
  });

  describe('with a scenario', () => {
    const SCRIPTED = '+254700000006';

    beforeEach(async () => {
      await platform.client.pay({ phone: SCRIPTED, callbackUrl: platform.receiver.url });
      await platform.simulator.idle();
    });

    it('lets a person answer before the scenario does', async () => {
      platform.simulator.handset(SCRIPTED).cancel();
      await platform.simulator.clock.advance(50_000);
      expect(await ended()).toEqual([['Request cancelled by user']]);
    });

    it('lets an ignored prompt expire, whatever the scenario', async () => {
      platform.simulator.handset(SCRIPTED).ignore();
      await platform.simulator.clock.advance(59_000);
      expect(await ended()).toEqual([]);
      await platform.simulator.clock.advance(2_000);
      expect(await ended()).toContainEqual(['No response from user.']);
    });

    it('lets the prompt expire when the phone is switched off', async () => {
      platform.simulator.handset(SCRIPTED).switchOff();
      await platform.simulator.clock.advance(61_000);
      expect(await ended()).toContainEqual(['No response from user.']);
    });
  });

  it('does not pay from an empty account, even with the correct PIN', async () => {
    await platform.stop();
    platform = await startPlatform({ timings: { prompt: 0, answer: 5_000, processing: 0 } });
    await platform.client.pay({ phone: '+254700000004', callbackUrl: platform.receiver.url });
    await platform.simulator.idle();
    platform.simulator.handset('+254700000004').approve();
    expect(await ended()).toEqual([['The balance is insufficient for the transaction']]);
  });
});
