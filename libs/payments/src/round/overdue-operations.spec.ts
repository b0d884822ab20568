import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { PaymentRecord } from '../operations/payments/payment.js';
import type { OperationReader } from '../ledger/operation-evidence.service.js';
import type { OperationSender } from '../send/operation-sender.js';
import type { Runtime } from '../runtime/clock.js';
import { MemoryStore } from '../memory/memory.store.js';
import {
  aLedger,
  aPendingPayment,
  aRecordedPayment,
  anUnknownPayment,
  loopsOf,
  SETTINGS,
  type LedgerUnderTest,
} from '../testing/ledger.fixture.js';
import { MovedRuntime } from '../testing/moved.runtime.js';
import { until } from '../../../../test/support/until.js';
import { FailedReads, OverdueOperationsReconciler, OverdueSchedule } from './overdue-operations.js';
import { MissingCallbacksService } from './waiting-work.service.js';
import type { AccountSweeps } from './sweeps.service.js';
import type { DueOperationsLoops } from './settled-operations-follower.js';
import type { CallbackUrls } from '../platform/callback-urls.js';

const URLS = { root: () => 'https://shop.test/payments' } as unknown as CallbackUrls;

Logger.overrideLogger(false);

const MINUTE = 60_000;

/** Returns the loops of a reconciler with the parts that the test gives it. */
function aReconciler(
  under: LedgerUnderTest,
  runtime: Runtime,
  parts: { sender?: OperationSender; reader?: OperationReader; sweeps?: AccountSweeps },
): DueOperationsLoops {
  const { operations, store, ledger, answers, kinds, clocks, accounts } = under;
  const sweeps = parts.sweeps ?? ({} as AccountSweeps);
  const reconciler = new OverdueOperationsReconciler(
    ledger,
    answers,
    parts.sender ?? ({} as OperationSender),
    parts.reader ?? ({} as OperationReader),
    sweeps,
    new OverdueSchedule(operations, kinds, accounts, clocks, runtime),
    new MissingCallbacksService(store.deliveries, URLS, accounts),
    runtime,
  );
  return loopsOf(under, runtime, reconciler);
}

describe('a payment whose time window cannot be swept', () => {
  let runtime: MovedRuntime;
  let store: MemoryStore;
  let under: LedgerUnderTest;
  let reads: number;
  let reconciler: DueOperationsLoops;

  beforeEach(() => {
    runtime = new MovedRuntime();
    store = new MemoryStore(() => runtime.now());
    under = aLedger(store, {}, runtime);
    reads = 0;
    const reader = {
      read: async (payment: PaymentRecord) => {
        reads += 1;
        return under.ledger.find(payment);
      },
    } as unknown as OperationReader;
    const sweeps = {
      match: async () => Promise.reject(new Error('the lists are away')),
    } as unknown as AccountSweeps;
    reconciler = aReconciler(under, runtime, { reader, sweeps });
  });

  afterEach(() => reconciler.onModuleDestroy());

  const claimed = async (): Promise<PaymentRecord[]> =>
    under.operations.claimDue(['default'], {
      followed: false,
      limit: 10,
      leaseMs: MINUTE,
      sendLeaseMs: MINUTE,
    });

  it.each([
    ['read on its schedule when it has a platform id', 'p1', 0],
    ['due again soon when it has no platform id', null, 1],
  ])('is %s', async (_, platformId, dueSoon) => {
    const { id } = await (platformId === null
      ? anUnknownPayment(under)
      : aPendingPayment(under, platformId));
    runtime.advance(20 * MINUTE);
    reconciler.onApplicationBootstrap();
    await until(async () => Number(await under.operations.dueAt('default', id)) > runtime.now());
    expect(reads).toBe(platformId === null ? 0 : 1);
    // This is later than a repeat after a failure, and sooner than the schedule's second read.
    runtime.advance(19_000);
    expect(await claimed()).toHaveLength(dueSoon);
  });
});

describe('an operation without an answer and without an id', () => {
  it.each([
    [29, 'unknown', null],
    [31, 'needs_review', 'no_evidence'],
  ])('is, %i minutes after it was recorded, %s', async (minutes, state, cause) => {
    const runtime = new MovedRuntime();
    const under = aLedger(new MemoryStore(() => runtime.now()), {}, runtime);
    const sweeps = { match: async () => undefined } as unknown as AccountSweeps;
    const reconciler = aReconciler(under, runtime, { sweeps });
    const { id } = await anUnknownPayment(under);
    runtime.advance(minutes * MINUTE);
    reconciler.onApplicationBootstrap();
    const find = () => under.ledger.find({ account: 'default', id });
    const isDueLater = async (): Promise<boolean> =>
      Number(await under.operations.dueAt('default', id)) > runtime.now();
    await until(async () => (await find())?.state === 'needs_review' || isDueLater());
    expect(await find()).toMatchObject({ state, cause });
    await reconciler.onModuleDestroy();
  });
});

describe('a payment that was recorded and not sent', () => {
  it('can be claimed by another process in time when the first one crashes', async () => {
    const runtime = new MovedRuntime();
    const store = new MemoryStore(() => runtime.now());
    const processOf = (
      send: (payment: PaymentRecord) => Promise<PaymentRecord>,
    ): DueOperationsLoops =>
      aReconciler(aLedger(store, {}, runtime), runtime, {
        sender: { send } as unknown as OperationSender,
      });
    await aRecordedPayment(store, { inBackground: true });
    let die = (): void => undefined;
    const claimed = new Promise<Sending>((resolve) => {
      const dying = processOf(async (payment) => {
        resolve({ by: dying, payment });
        await new Promise<void>((end) => (die = end));
        return payment;
      });
      dying.onApplicationBootstrap();
    });
    const { by: dying, payment } = await claimed;
    runtime.advance(MINUTE / 2);
    const sentBySurvivor = new Promise<Sending>((resolve) => {
      const survivor = processOf(async (sent) => {
        resolve({ by: survivor, payment: sent });
        return sent;
      });
      survivor.onApplicationBootstrap();
    });
    const { by: survivor, payment: sent } = await sentBySurvivor;
    expect(sent.id).toBe(payment.id);
    expect(sent.sendWithinMs).toBeGreaterThan(0);
    die();
    await Promise.all([dying.onModuleDestroy(), survivor.onModuleDestroy()]);
  });
});

describe('the due payments of two accounts', () => {
  it('are sent for one account while every read of the other account hangs, however many reads those are', async () => {
    const runtime = new MovedRuntime();
    const store = new MemoryStore(() => runtime.now());
    const under = aLedger(store, {}, runtime);
    under.accounts.add({ ...SETTINGS, account: 'second', path: 'second' });
    for (let n = 0; n < 40; n += 1)
      await aPendingPayment(under, `p${n}`, { account: 'second', tills: [`${n}`] });
    runtime.advance(MINUTE);
    await aRecordedPayment(store, { inBackground: true });
    let comeBack = (): void => undefined;
    const away = new Promise<void>((resolve) => (comeBack = resolve));
    const reader = {
      read: async (payment: PaymentRecord) => {
        await away;
        return payment;
      },
    } as unknown as OperationReader;
    const sent: string[] = [];
    const sender = {
      send: async ({ account }: PaymentRecord) => void sent.push(account),
    } as unknown as OperationSender;
    const reconciler = aReconciler(under, runtime, { reader, sender });
    reconciler.onApplicationBootstrap();
    await until(() => sent.length > 0);
    expect(sent).toEqual(['default']);
    comeBack();
    await reconciler.onModuleDestroy();
  });
});

interface Sending {
  by: DueOperationsLoops;
  payment: PaymentRecord;
}

describe('a read that fails', () => {
  it('is repeated after two seconds, because money at a till may wait for it', async () => {
    const runtime = new MovedRuntime();
    const under = aLedger(new MemoryStore(() => runtime.now()), {}, runtime);
    const reader = {
      read: async () => Promise.reject(new Error('the platform is away')),
    } as unknown as OperationReader;
    const reconciler = aReconciler(under, runtime, { reader });
    const { id } = await aPendingPayment(under, 'p1');
    await under.operations.makeDue('default', [id], { cause: 'money ONE', againAfterMs: MINUTE });
    reconciler.onApplicationBootstrap();
    let inMs = 0;
    await until(async () => {
      inMs = Number(await under.operations.dueAt('default', id)) - runtime.now();
      return inMs > 0;
    });
    expect(inMs).toBeGreaterThanOrEqual(2_000);
    expect(inMs).toBeLessThan(3_000);
    await reconciler.onModuleDestroy();
  });

  it('again within ten minutes is repeated as late as the schedule says', () => {
    let now = 0;
    const failed = new FailedReads({ elapsed: () => now });
    const operation = { account: 'default', id: 'one' };
    const another = { account: 'default', id: 'two' };
    expect(failed.againInMs(operation, 15_000)).toBe(2_000);
    expect(failed.againInMs(operation, 15_000)).toBe(15_000);
    expect(failed.againInMs(another, 15_000)).toBe(2_000);
    now = 11 * MINUTE;
    expect(failed.againInMs(operation, 15_000)).toBe(2_000);
  });
});
