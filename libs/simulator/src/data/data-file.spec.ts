import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { INSTANT_TIMINGS } from '../simulator.options.js';
import { Simulator } from '../simulator.js';
import { send, wallet } from '../testing/money-out.fixture.js';
import { idOf } from '../testing/platform-client.fixture.js';
import { startPlatform, type Platform } from '../testing/platform.fixture.js';

/** Payments of this number wait until a person answers the prompt. */
const PERSON = '+254700000014';
const WAITS = { ...INSTANT_TIMINGS, payoutScheduling: 3_600_000 };

describe('A platform with a data file', () => {
  let folder: string;
  let platform: Platform;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'simulator-'));
  });

  afterEach(async () => {
    await platform.stop();
    rmSync(folder, { recursive: true });
  });

  const start = async (timings = INSTANT_TIMINGS): Promise<void> => {
    const openingBalances = { '514459': 1_000 };
    platform = await startPlatform({ dataFile: join(folder, 'data'), timings, openingBalances });
  };
  const restart = async (timings = INSTANT_TIMINGS): Promise<void> => {
    await platform.stop();
    await start(timings);
    await platform.simulator.idle();
  };
  const callbackUrl = (): string => `${platform.receiver.url}/callbacks`;

  it('still has its payments, subscriptions and balances after a restart', async () => {
    await start();
    await platform.subscribe();
    const id = await platform.client.pay({ callbackUrl: callbackUrl() });
    await platform.simulator.idle();
    const seen = ({ simulator }: Platform): unknown[] => [
      simulator.charges(),
      simulator.transactions(),
      simulator.subscriptions(),
      simulator.books(),
    ];
    const before = seen(platform);
    await restart();
    expect(seen(platform)).toEqual(before);
    const { body } = await platform.client.get(`/api/v2/incoming_payments/${id}`);
    expect(body.data.attributes.status).toBe('Success');
    // Two parts that share an object share it again after reading.
    const { reference } = platform.simulator.transactions()[0]!;
    await platform.simulator.reverse(reference);
    expect(platform.simulator.charges()).toMatchObject([{ reversed: true }]);
  });

  it('shows the prompt of an open payment again after each restart, until somebody answers it', async () => {
    await start();
    await platform.client.pay({ phone: PERSON, callbackUrl: callbackUrl() });
    await platform.simulator.idle();
    await restart();
    await restart();
    expect(platform.simulator.handset(PERSON).prompts()).toHaveLength(1);
    platform.simulator.handset(PERSON).approve();
    await platform.simulator.idle();
    expect(platform.simulator.charges()).toMatchObject([{ status: 'Success', charged: true }]);
  });

  it('goes on with open payouts, refunds and payment links', async () => {
    await start(WAITS);
    const { client, simulator } = platform;
    const payment = { tillNumber: '514459', phoneNumber: '+254700000001', amount: 70 };
    const { reference } = await simulator.payTill(payment);
    await send(platform, [wallet()]);
    const links = { _links: { callback_url: callbackUrl() } };
    const reversal = { transaction_reference: reference, reason: 'Broken', ...links };
    await client.post('/api/v2/reversals', reversal);
    const link = { till_number: '514459', currency: 'KES', amount: 50, ...links };
    const id = idOf(await client.post('/api/v2/payment_links', link));
    await restart();
    expect(platform.simulator.payouts()).toMatchObject([{ destinations: [{ paid: true }] }]);
    expect(platform.simulator.refunds()).toMatchObject([{ paid: true }]);
    await platform.simulator.payLink(id, { phoneNumber: '+254700000001' });
    expect(platform.simulator.balance('till:514459')).toBe(95_000);
  });

  it('does not start with a file that it cannot write, and says why', async () => {
    await start();
    await expect(Simulator.start({ dataFile: join(folder, 'none', 'data') })).rejects.toThrow(
      /dataFile cannot be written \(ENOENT\): .*none\/data/,
    );
  });

  it('does not start with a file that it cannot read, and says which to delete', async () => {
    await start();
    writeFileSync(join(folder, 'data'), 'no data');
    await expect(Simulator.start({ dataFile: join(folder, 'data') })).rejects.toThrow(
      /dataFile is no data of this version: delete .*\/data/,
    );
  });
});
