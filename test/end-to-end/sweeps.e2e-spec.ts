import { afterEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { MemoryStore, SweepsService, type PaymentsOptions } from '@tillkit/payments';
import { altered } from '../support/altered.store.js';
import { deliverSigned, webhookBody } from '../support/deliver.js';
import { aRequest, aRequestFrom, Merchant } from '../support/merchant.js';
import { until } from '../support/until.js';
import { keepWarnings } from '../support/warnings.js';

const HOUR = 3_600_000;
const PAYER = '+254700000077';
const QUICK = { requestsPerSecond: 1_000, sweepEveryMs: 0 };

/** A store that remembers what sweeps saved. */
class WatchedSweeps {
  readonly saved: { watermark: Date; recoveredAt: Date | null }[] = [];

  readonly store = altered(new MemoryStore(), {
    sweeps: {
      save: (save) => async (account, owner, progress) => {
        this.saved.push(progress);
        return save(account, owner, progress);
      },
    },
  });
}

// A sweep reads from the platform: the HTTP adapter plays no part.
describe('A sweep', () => {
  let merchant: Merchant;
  const warnings: string[] = [];

  const open = async (payments: PaymentsOptions = {}): Promise<Merchant> => {
    merchant = await Merchant.open({ payments });
    keepWarnings(warnings);
    return merchant;
  };

  afterEach(async () => {
    Logger.overrideLogger(false);
    warnings.length = 0;
    await merchant.close();
  });

  const pay = (changes: object = {}) =>
    merchant.simulator.payTill({
      tillNumber: '514459',
      phoneNumber: PAYER,
      amount: 50,
      silent: true,
      ...changes,
    });

  /** This is before the first start. Money of the minute before it counts as new. */
  const A_WHILE_AGO = (): object => ({ originatedAt: Date.now() - 120_000 });

  it('can be run by another replica as soon as its process stops', async () => {
    const store = new MemoryStore();
    await open({ store, reconciliation: QUICK });
    expect(await merchant.app.get(SweepsService).sweep()).toBe(true);
    expect(await store.sweeps.claim('default', 'another', HOUR)).toBe(false);
    await merchant.app.close();
    expect(await store.sweeps.claim('default', 'another', HOUR)).toBe(true);
  });

  it('runs on schedule, and again after the platform failed', async () => {
    await open({ reconciliation: { ...QUICK, sweepEveryMs: 50 } });
    merchant.simulator.faults.once('create-5xx-before-commit', { resource: 'polling' });
    const { reference } = await pay();
    const { transaction, via } = await merchant.received.next('till.transaction.received');
    expect({ reference: transaction.reference, via }).toEqual({ reference, via: 'sweep' });
    expect(warnings.join('\n')).toMatch(
      /a sweep ended early and will go on from where it was.* account=default/,
    );
  });

  it('that ends because its process stops is no warning', async () => {
    await open({ reconciliation: { ...QUICK, sweepEveryMs: 50 } });
    merchant.simulator.faults.once('read-slow', { resource: 'polling' });
    // The read of its list is under way.
    await until(() => merchant.simulator.faults.settings().some(({ injected }) => injected > 0));
    await merchant.app.close();
    expect(warnings).toEqual([]);
  });

  it.each([
    ['covers the last 48 hours again when the last time was seven hours ago', 7, true],
    ['does not cover the last 48 hours again when the last time was an hour ago', 1, false],
  ])('%s', async (_, hours, again) => {
    const store = new MemoryStore();
    const watermark = new Date();
    await store.sweeps.progress('default', watermark);
    await store.sweeps.claim('default', 'an earlier process', 0);
    const recoveredAt = new Date(Date.now() - hours * HOUR);
    await store.sweeps.save('default', 'an earlier process', {
      watermark,
      recoveredAt,
      scope: 'company',
    });
    await open({ store, reconciliation: QUICK });
    await pay({ reference: 'LISTED-LATE', originatedAt: Date.now() - 40 * HOUR });
    await merchant.app.get(SweepsService).sweep();
    const late = { reference: 'LISTED-LATE', tillNumber: '514459' };
    expect((await merchant.payments.findTransaction(late)) !== null).toBe(again);
    expect(merchant.received.named('till.transaction.received')).toEqual([]);
  });

  it('is left to the replica that is running it', async () => {
    const { store, saved } = new WatchedSweeps();
    await store.sweeps.claim('default', 'another replica', 60_000);
    await open({ store, reconciliation: QUICK });
    expect(await merchant.app.get(SweepsService).sweep()).toBe(false);
    expect(saved).toEqual([]);
  });

  it('does not move the watermark when a window could not be read', async () => {
    const { store, saved } = new WatchedSweeps();
    await open({ store, reconciliation: QUICK });
    merchant.simulator.faults.once('create-5xx-before-commit', { resource: 'polling' });
    await expect(merchant.app.get(SweepsService).sweep()).rejects.toMatchObject({
      code: 'PAYMENTS_UNKNOWN_OUTCOME',
    });
    expect(saved).toEqual([]);
  });

  it('reads a long gap day by day', async () => {
    const { store, saved } = new WatchedSweeps();
    const start = new Date(Date.now() - 60 * HOUR);
    await store.sweeps.progress('default', start);
    await open({ store, reconciliation: QUICK });
    await pay({ reference: 'MISSED', originatedAt: Date.now() - 55 * HOUR });
    await merchant.app.get(SweepsService).sweep();
    expect((await merchant.received.next('till.transaction.received')).transaction.reference).toBe(
      'MISSED',
    );
    const marks = saved.map(({ watermark }) => watermark.getTime());
    // No window contains the time from which on events are emitted.
    expect(marks).toHaveLength(5);
    expect(marks).toContain(start.getTime());
    expect(marks).toEqual(marks.toSorted((a, b) => a - b));
    expect(saved.at(-1)?.recoveredAt).not.toBeNull();
  });

  it('records a reversal as a reversal, and emits no event for received money', async () => {
    await open({ reconciliation: QUICK });
    const { reference } = await pay(A_WHILE_AGO());
    await merchant.simulator.reverse(reference);
    await merchant.app.get(SweepsService).sweep();
    expect(
      await merchant.payments.findTransaction({ reference, tillNumber: '514459' }),
    ).toMatchObject({ reversed: true });
    expect(merchant.received.events).toEqual([]);
  });

  it('reverses a payment when it finds the reversal of its money', async () => {
    await open({ reconciliation: QUICK });
    const { id } = await merchant.payments.request(aRequest());
    const { transaction } = await merchant.received.next('payment.succeeded');
    await merchant.simulator.reverse(transaction.reference as string);
    await until(async () => {
      await merchant.app.get(SweepsService).sweep();
      return (await merchant.payments.find(id))?.state === 'reversed';
    });
    const { payment, via } = await merchant.received.next('payment.reversed');
    expect({ id: payment.id, via }).toEqual({ id, via: 'sweep' });
  });

  it('emits no second event for money that a webhook reported before, and records no anomaly', async () => {
    const store = new MemoryStore();
    await open({ store, reconciliation: QUICK });
    const { reference } = await pay(A_WHILE_AGO());
    await deliverSigned(
      merchant.webhookUrl,
      webhookBody({ reference, amount: '50.0', sender_phone_number: PAYER }),
      merchant.simulator.apiKey,
    );
    await merchant.received.next('till.transaction.received');
    await merchant.app.get(SweepsService).sweep();
    expect(merchant.received.named('till.transaction.received')).toHaveLength(1);
    expect(await store.anomalies.list('default')).toEqual([]);
  });

  it('does not move the watermark over an unread window when the application closes in between', async () => {
    let close: (() => void) | null = null;
    const store = altered(new MemoryStore(), {
      sweeps: {
        save:
          (save) =>
          async (...args) => {
            const saved = await save(...args);
            close?.();
            // The application begins to close meanwhile, also on a busy machine.
            await new Promise((resolve) => setTimeout(resolve, 1_000));
            return saved;
          },
      },
    });
    const start = new Date(Date.now() - 100 * HOUR);
    await store.sweeps.progress('default', start);
    await open({ store, reconciliation: QUICK });
    close = () => void merchant.app.close();
    await merchant.app.get(SweepsService).sweep();
    const { watermark } = await store.sweeps.progress('default', new Date());
    expect(watermark.getTime()).toBeLessThan(start.getTime() + 25 * HOUR);
  });

  it('names the payment of the money that it finds, because it reads the payment first', async () => {
    await open({ reconciliation: QUICK });
    const { id } = await merchant.payments.request(aRequestFrom('+254700000015'));
    await merchant.simulator.idle();
    while (merchant.received.named('till.transaction.received').length === 0) {
      await merchant.app.get(SweepsService).sweep();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect((await merchant.received.next('till.transaction.received')).paymentId).toBe(id);
  });
});
