import { afterEach, describe, expect, it } from '@jest/globals';
import { SeededRandom } from '../faults/seeded-random.service.js';
import { PAYOUT_SCENARIOS } from '../payouts/payout-scenarios.constants.js';
import {
  BANK_ACCOUNT,
  OTHER_TILL,
  PAYBILL,
  SEND_MONEY_PATH,
  sendMoney,
  wallet,
} from '../testing/money-out.fixture.js';
import { idOf } from '../testing/platform-client.fixture.js';
import { startPlatform, type Platform } from '../testing/platform.fixture.js';

const STEPS = 120;
const DIGITS = ['01', '13', '18', ...Object.values(PAYOUT_SCENARIOS).map(({ digits }) => digits)];

class RandomRun {
  private readonly random: SeededRandom;

  constructor(
    private readonly platform: Platform,
    seed: number,
  ) {
    this.random = new SeededRandom(seed, 'operations');
  }

  async step(): Promise<void> {
    const { client, simulator, receiver } = this.platform;
    const links = { _links: { callback_url: receiver.url } };
    const phone = `+2547000000${this.pick(DIGITS)}`;
    switch (this.below(10)) {
      case 0:
        await client.pay({ phone, value: this.amount(), till: this.till() });
        break;
      case 1: {
        const payment = { tillNumber: this.till(), phoneNumber: phone, amount: this.amount() };
        await simulator.payTill(this.below(2) ? payment : { ...payment, sendingTill: 'Corner' });
        break;
      }
      case 2:
      case 3: {
        const destinations = Array.from({ length: 1 + this.below(4) }, () => this.destination());
        const source = { source_identifier: this.till() };
        await client.post(SEND_MONEY_PATH, sendMoney(this.platform, destinations, source));
        break;
      }
      case 4:
        if (this.below(6) === 0) await client.post(SEND_MONEY_PATH, sendMoney(this.platform, null));
        break;
      case 8:
        if (this.below(6) === 0) await client.post('/api/v1/settlement_transfers', links);
        break;
      case 5:
      case 6: {
        const transactions = simulator.transactions();
        if (transactions.length === 0) break;
        const { reference } = this.pick(transactions);
        if (this.below(3) === 0) await simulator.reverse(reference).catch(() => undefined);
        else {
          const reversal = { transaction_reference: reference, reason: 'Broken', ...links };
          await client.post('/api/v2/reversals', reversal);
        }
        break;
      }
      case 7: {
        const link = { till_number: this.till(), currency: 'KES', amount: this.amount(), ...links };
        const id = idOf(await client.post('/api/v2/payment_links', link));
        await simulator.idle();
        if (this.below(4) === 0) await client.post(`/api/v2/payment_links/${id}/cancel`, {});
        await simulator.payLink(id, { phoneNumber: phone }).catch(() => undefined);
        break;
      }
      default:
        await simulator.clock.advance(this.below(20_000));
    }
  }

  private destination(): Record<string, unknown> {
    const amount = this.amount();
    switch (this.below(5)) {
      case 0:
        return { ...BANK_ACCOUNT, account_number: `01000000${this.pick(DIGITS)}`, amount };
      case 1:
        return { ...OTHER_TILL, till_number: this.pick([this.till(), '800162']), amount };
      case 2:
        return { ...PAYBILL, amount };
      case 3: {
        const { reference, type } = this.platform.simulator.merchantAccounts()[0]!;
        return { type, reference, amount };
      }
      default:
        return wallet({ phone_number: `2547000000${this.pick(DIGITS)}`, amount });
    }
  }

  private till(): string {
    return this.pick(['514459', '000123']);
  }

  private amount(): number {
    return (1 + this.below(50_000)) / 100;
  }

  private pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!;
  }

  private below(limit: number): number {
    return Math.floor(this.random.next() * limit);
  }
}

describe('After every one of many random operations', () => {
  let platform: Platform | undefined;

  afterEach(() => platform?.stop());

  it.each([1, 2, 3])(
    'the books balance to the cent and only the world is below zero (seed %d)',
    async (seed) => {
      platform = await startPlatform({ seed, openingBalances: { '514459': 500 } });
      const { simulator } = platform;
      const run = new RandomRun(platform, seed);
      for (let step = 0; step < STEPS; step++) {
        await run.step();
        await simulator.idle();
        const balances = simulator.balances();
        expect(balances.reduce((sum, { balance }) => sum + balance, 0)).toBe(0);
        for (const { account, balance, reserved } of balances) {
          expect(Number.isInteger(balance) && reserved >= 0).toBe(true);
          if (account !== 'world') expect(balance - reserved).toBeGreaterThanOrEqual(0);
        }
      }
      // This is longer than the slowest scenario.
      await simulator.clock.advance(7_200_000);
      await simulator.idle();
      expectTruth(simulator);
      expect(new Set(simulator.books().map(({ why }) => why))).toEqual(
        new Set(['opening balance', 'payment', 'payout', 'payout returned', 'refund', 'reversal']),
      );
    },
  );
});

/** Checks that the lists of paid money agree with the balances. */
function expectTruth(simulator: Platform['simulator']): void {
  const cents = (amount: number) => Math.round(amount * 100);
  const out = simulator
    .payouts()
    .flatMap(({ tillNumber, destinations }) => destinations.map((one) => ({ tillNumber, ...one })));
  for (const till of ['514459', '000123']) {
    const paidOut = out.filter(({ paid, tillNumber }) => paid && tillNumber === till);
    const received = simulator
      .transactions()
      .filter(({ tillNumber, reversed }) => tillNumber === till && !reversed);
    const expected =
      (till === '514459' ? 50_000 : 0) +
      received.reduce((sum, { amount }) => sum + cents(amount), 0) -
      paidOut.reduce((sum, { amount }) => sum + cents(amount!), 0);
    const balance = simulator.balances().find(({ account }) => account === `till:${till}`)!;
    const waiting = out.filter(
      ({ status, paid, tillNumber }) => status === 'Processing' && !paid && tillNumber === till,
    );
    expect({ till, balance: balance.balance }).toEqual({
      till,
      balance: expected + returned(simulator, till),
    });
    expect(balance.reserved).toBeGreaterThanOrEqual(
      waiting.reduce((sum, { amount }) => sum + cents(amount!), 0),
    );
  }
}

/** Returns the money of payouts between own tills whose transaction was reversed. The paying till has it again. */
function returned(simulator: Platform['simulator'], till: string): number {
  return simulator
    .transactions()
    .filter(({ payer, reversed }) => payer === `till:${till}` && reversed)
    .reduce((sum, { amount }) => sum + Math.round(amount * 100), 0);
}
