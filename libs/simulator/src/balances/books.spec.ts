import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AccountName } from './account-name.js';
import { startPlatform, type Platform } from '../testing/platform.fixture.js';

const PHONE = '+254700000001';

describe('The books of the simulator', () => {
  let platform: Platform;

  beforeEach(async () => {
    platform = await startPlatform({ openingBalances: { '000123': 1_000.5 } });
  });

  afterEach(() => platform.stop());

  const balanceOf = (account: AccountName) => platform.simulator.balance(account);

  it('begin with the opening balances, which come from the world', () => {
    expect(platform.simulator.balances()).toEqual([
      { account: 'world', currency: 'KES', balance: -100_050, reserved: 0 },
      { account: 'till:000123', currency: 'KES', balance: 100_050, reserved: 0 },
    ]);
  });

  it('raise the balance of the till by a payment request, and by a payment without one', async () => {
    await platform.client.pay({ value: 99.99 });
    await platform.simulator.idle();
    await platform.simulator.payTill({ tillNumber: '514459', phoneNumber: PHONE, amount: 0.29 });
    expect(balanceOf('till:514459')).toBe(10_028);
    expect(balanceOf('world')).toBe(-110_078);
    expect(platform.simulator.books().at(-1)).toEqual({
      at: expect.any(String),
      debit: 'world',
      credit: 'till:514459',
      amount: 29,
      currency: 'KES',
      why: 'payment',
      reference: platform.simulator.transactions().at(-1)!.reference,
    });
  });

  it('do not move by a payment that fails', async () => {
    const before = platform.simulator.books();
    await platform.client.pay({ phone: '+254700000002' });
    await platform.simulator.idle();
    expect(platform.simulator.books()).toEqual(before);
  });

  it('give the money of a reversed payment to the handset once', async () => {
    const payment = { tillNumber: '514459', phoneNumber: PHONE, amount: 70 };
    const { reference } = await platform.simulator.payTill(payment);
    await platform.simulator.reverse(reference);
    await platform.simulator.reverse(reference);
    expect(balanceOf('till:514459')).toBe(0);
    expect(balanceOf(`mobile_wallet:${PHONE}`)).toBe(7_000);
  });

  it('give the money of a reversed till-to-till payment to the other till', async () => {
    const payment = { tillNumber: '514459', phoneNumber: PHONE, amount: 70 };
    const { reference } = await platform.simulator.payTill({ ...payment, sendingTill: 'Corner' });
    await platform.simulator.reverse(reference);
    expect(balanceOf('external_till:Corner')).toBe(7_000);
  });

  it('count a payment to an alias for the till that it stands for', async () => {
    await platform.stop();
    platform = await startPlatform({ tillAliases: { K000123: '514459' } });
    await platform.simulator.payTill({ tillNumber: 'K000123', phoneNumber: PHONE, amount: 1 });
    expect(balanceOf('till:514459')).toBe(100);
  });

  it('keep currencies apart', async () => {
    await platform.client.pay({ value: 7, currency: 'UGX' });
    await platform.simulator.idle();
    expect(platform.simulator.balances()).toContainEqual({
      account: 'till:514459',
      currency: 'UGX',
      balance: 7,
      reserved: 0,
    });
  });

  it('refuse an amount whose cents a number cannot hold', async () => {
    const answer = await platform.client.pay({ value: 1e15 }).catch((error: Error) => error);
    expect(String(answer)).toContain('amount.value is too large');
  });
});
