import { afterEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { MemoryStore, SweepSchedule, type PaymentsOptions } from '@tillkit/payments';
import { deliverSigned, webhookBody } from '../support/deliver.js';
import { aRequest, Merchant } from '../support/merchant.js';
import { PLATFORMS, type Platform } from '../support/platforms.js';

const [platform] = PLATFORMS as [Platform, Platform];
const HOUR = 3_600_000;
const PAYER = '+254700000077';

/** A store whose retention can fail, and that remembers what sweeps wrote. */
class WatchedStore extends MemoryStore {
  purges = 0;
  failingPurges = 0;
  readonly saved: { watermark: Date; recoveredAt: Date | null }[] = [];

  override async purge(...args: Parameters<MemoryStore['purge']>) {
    this.purges += 1;
    if (this.failingPurges > 0) {
      this.failingPurges -= 1;
      throw new Error('the disk is gone');
    }
    return super.purge(...args);
  }

  override async saveSweep(...args: Parameters<MemoryStore['saveSweep']>) {
    this.saved.push(args[2]);
    return super.saveSweep(...args);
  }
}

describe('what is done on schedule', () => {
  let merchant: Merchant;
  const warnings: string[] = [];

  const open = async (payments: PaymentsOptions = {}): Promise<Merchant> => {
    merchant = await Merchant.open({ platform, payments });
    const ignore = (): void => undefined;
    Logger.overrideLogger({
      log: ignore,
      error: ignore,
      warn: (line: string) => warnings.push(line),
    });
    return merchant;
  };

  afterEach(async () => {
    Logger.overrideLogger(false);
    warnings.length = 0;
    await merchant.close();
  });

  const until = async (isTrue: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 5));
  };

  const pay = (changes: object = {}) =>
    merchant.simulator.payTill({
      tillNumber: '514459',
      phoneNumber: PAYER,
      amount: 50,
      silent: true,
      ...changes,
    });

  /** The platform's clock is known to half a second: what has just happened may be of the next sweep. */
  const A_WHILE_AGO = (): object => ({ originatedAt: Date.now() - 5_000 });

  const QUICK = { requestsPerSecond: 1_000, sweepEveryMs: 0 };

  describe('retention', () => {
    it('removes who paid once that is old enough, and keeps what prevents a second prompt', async () => {
      await open({ retention: { everyMs: 10, personalDataMs: 0 } });
      const input = aRequest({ metadata: { order: 17 } });
      const { id } = await merchant.payments.request(input);
      await merchant.payments.settled(id);
      await until(async () => {
        const payment = await merchant.payments.find(id);
        return payment?.subscriber.phoneNumber === '';
      });
      expect(await merchant.payments.find(id)).toMatchObject({
        state: 'succeeded',
        idempotencyKey: input.idempotencyKey,
        metadata: null,
        transaction: { senderPhoneNumber: null, senderFirstName: null, raw: {} },
      });
      expect(await merchant.payments.request(input)).toMatchObject({ id });
      expect(merchant.simulator.charges()).toHaveLength(1);
    });

    it('goes on later after the store failed, and says so', async () => {
      const store = new WatchedStore();
      store.failingPurges = 1;
      await open({ store, retention: { everyMs: 50, personalDataMs: 0 } });
      await until(() => store.purges >= 2);
      expect(warnings.filter((line) => line.includes('retention'))).toEqual([
        'retention ended early and will go on later: Error: the disk is gone',
      ]);
    });

    it.each([
      ['switched off', { retention: { everyMs: 0, personalDataMs: 0 } }],
      [
        'left to another replica',
        { background: false, retention: { everyMs: 1, personalDataMs: 0 } },
      ],
    ])('that is %s removes nothing', async (_, options) => {
      const store = new WatchedStore();
      await open({ store, ...options });
      await new Promise((resolve) => setTimeout(resolve, 30));
      expect(store.purges).toBe(0);
    });
  });

  describe('a sweep', () => {
    it('leaves the right to sweep to the others when its process stops', async () => {
      const store = new MemoryStore();
      await open({ store, reconciliation: QUICK });
      expect(await merchant.app.get(SweepSchedule).sweep()).toBe(true);
      expect(await store.claimSweep('default', 'another', HOUR)).toBe(false);
      await merchant.app.close();
      expect(await store.claimSweep('default', 'another', HOUR)).toBe(true);
    });

    it('finds money by itself, and again after the platform failed', async () => {
      await open({ reconciliation: { ...QUICK, sweepEveryMs: 50 } });
      merchant.simulator.faults.once('create-5xx-before-commit', { resource: 'polling' });
      const { reference } = await pay();
      const { transaction, via } = await merchant.heard.next('till.transaction.received');
      expect({ reference: transaction.reference, via }).toEqual({ reference, via: 'sweep' });
      expect(warnings.join('\n')).toMatch(/a sweep ended early and will go on from where it was/);
    });

    it.each([
      ['seven hours ago', 7, true],
      ['an hour ago', 1, false],
    ])(
      'that covered 48 hours %s covers them again if that is six hours or more',
      async (_, hours, again) => {
        const store = new WatchedStore();
        const watermark = new Date();
        await store.sweepProgress('default', watermark);
        await store.claimSweep('default', 'whoever swept then', 0);
        const recoveredAt = new Date(Date.now() - hours * HOUR);
        await store.saveSweep('default', 'whoever swept then', { watermark, recoveredAt });
        await open({ store, reconciliation: QUICK });
        await pay({ reference: 'LISTED-LATE', originatedAt: Date.now() - 40 * HOUR });
        await merchant.app.get(SweepSchedule).sweep();
        const late = { reference: 'LISTED-LATE', tillNumber: '514459' };
        expect((await merchant.payments.findTransaction(late)) !== null).toBe(again);
        expect(merchant.heard.named('till.transaction.received')).toEqual([]);
      },
    );

    it('is left to the replica that is at it', async () => {
      const store = new WatchedStore();
      await store.claimSweep('default', 'another replica', 60_000);
      await open({ store, reconciliation: QUICK });
      expect(await merchant.app.get(SweepSchedule).sweep()).toBe(false);
      expect(store.saved).toEqual([]);
    });

    it('moves no watermark when a window could not be read', async () => {
      const store = new WatchedStore();
      await open({ store, reconciliation: QUICK });
      merchant.simulator.faults.once('create-5xx-before-commit', { resource: 'polling' });
      await expect(merchant.app.get(SweepSchedule).sweep()).rejects.toMatchObject({
        code: 'PAYMENTS_UNKNOWN_OUTCOME',
      });
      expect(store.saved).toEqual([]);
    });

    it('reads a long time that was missed day by day', async () => {
      const store = new WatchedStore();
      const start = new Date(Date.now() - 60 * HOUR);
      await store.sweepProgress('default', start);
      await open({ store, reconciliation: QUICK });
      await pay({ reference: 'MISSED', originatedAt: Date.now() - 55 * HOUR });
      await merchant.app.get(SweepSchedule).sweep();
      expect((await merchant.heard.next('till.transaction.received')).transaction.reference).toBe(
        'MISSED',
      );
      const marks = store.saved.map(({ watermark }) => watermark.getTime());
      expect(marks).toHaveLength(4);
      expect(marks).toEqual(marks.toSorted((a, b) => a - b));
      expect(store.saved.at(-1)?.recoveredAt).not.toBeNull();
    });

    it('takes a reversal for what it is, and tells no money', async () => {
      await open({ reconciliation: QUICK });
      const { reference } = await pay(A_WHILE_AGO());
      await merchant.simulator.reverse(reference);
      await merchant.app.get(SweepSchedule).sweep();
      expect(
        await merchant.payments.findTransaction({ reference, tillNumber: '514459' }),
      ).toMatchObject({ reversed: true });
      expect(merchant.heard.events).toEqual([]);
    });

    it('that finds the reversal of a payment reverses the payment', async () => {
      await open({ reconciliation: QUICK });
      const { id } = await merchant.payments.request(aRequest());
      const { transaction } = await merchant.heard.next('payment.succeeded');
      await merchant.simulator.reverse(transaction.reference as string);
      await until(async () => {
        await merchant.app.get(SweepSchedule).sweep();
        return (await merchant.payments.find(id))?.state === 'reversed';
      });
      const { payment, via } = await merchant.heard.next('payment.reversed');
      expect({ id: payment.id, via }).toEqual({ id, via: 'sweep' });
    });

    it('tells money that a webhook told before no second time, and finds no difference', async () => {
      const store = new WatchedStore();
      await open({ store, reconciliation: QUICK });
      const { reference } = await pay(A_WHILE_AGO());
      await deliverSigned(
        merchant.payments.webhookUrl(),
        webhookBody({ reference, amount: '50.0', sender_phone_number: PAYER }),
        merchant.simulator.apiKey,
      );
      await merchant.heard.next('till.transaction.received');
      await merchant.app.get(SweepSchedule).sweep();
      expect(merchant.heard.named('till.transaction.received')).toHaveLength(1);
      expect(await store.counts('default')).toEqual([]);
    });
  });
});
