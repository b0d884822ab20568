import { beforeEach, describe, expect, it } from '@jest/globals';
import { HealthIndicatorService } from '@nestjs/terminus';
import type { DeliveriesStore } from '../../store/deliveries.store.js';
import type { BackgroundRequests } from '../../platform/background-requests.js';
import type { QueueLength } from '../../store/statistics.store.js';
import type { WaitingWork, WaitingWorkService } from '../waiting-work.service.js';
import type { Resources } from '../../platform/resources.js';
import { accountsOf, SETTINGS } from '../../testing/ledger.fixture.js';
import { SkippingRuntime } from '../../testing/skipping.runtime.js';
import { PaymentsHealthIndicator } from './payments-health.module.js';

const MINUTE = 60_000;

const waits = (queue: QueueLength['queue'], changes: Partial<QueueLength> = {}): QueueLength => ({
  account: 'default',
  queue,
  count: 1,
  oldestMs: 1_000,
  ...changes,
});

describe('A health check', () => {
  let work: WaitingWork;
  let open: string[];
  let tokens: Record<string, 'valid' | 'failing'>;
  let deliveries: { kind: 'webhook' | 'callback'; ageMs: number }[];
  let isStoreAway: boolean;
  let health: PaymentsHealthIndicator;

  beforeEach(() => {
    work = { queues: [], pauses: [], isKnown: true };
    open = [];
    tokens = { default: 'valid', other: 'valid' };
    deliveries = [];
    isStoreAway = false;
    const list = async () => {
      if (isStoreAway) throw new Error('away');
      return { items: deliveries, next: null };
    };
    health = new PaymentsHealthIndicator(
      new HealthIndicatorService(),
      { read: async () => work } as unknown as WaitingWorkService,
      { openCircuits: () => open } as unknown as BackgroundRequests,
      { list } as unknown as DeliveriesStore,
      {
        resources: (account: string) => ({ tokens: { status: tokens[account] } }),
      } as unknown as Resources,
      accountsOf(SETTINGS, { ...SETTINGS, account: 'other', path: 'other' }),
      new SkippingRuntime(),
    );
  });

  it('has a name of its own, or the one that the host gives', async () => {
    expect(await health.store()).toEqual({ 'payments-store': { status: 'up' } });
    expect(health.token()).toEqual({ 'payments-token': { status: 'up' } });
    expect(health.circuit()).toEqual({ 'payments-circuit': { status: 'up' } });
    expect(await health.backlog()).toMatchObject({ 'payments-backlog': { status: 'up' } });
    expect(await health.lastCallback()).toEqual({ 'payments-last-callback': { status: 'up' } });
    expect(await health.store('mine')).toEqual({ mine: { status: 'up' } });
  });

  it('of what is in the store is down when the store does not answer', async () => {
    work = { ...work, isKnown: false };
    const down = { status: 'down', message: 'the store does not answer' };
    expect(await health.store('x')).toEqual({ x: down });
    expect(await health.backlog('x')).toEqual({ x: down });
    expect(await health.lastCallback('x')).toEqual({ x: down });
  });

  it('of the token is down only when no account has one', () => {
    tokens['other'] = 'failing';
    const message = { message: 'no access token' };
    expect(health.token('x')).toEqual({ x: { status: 'up', ...message, accounts: 1 } });
    expect(health.token('x', { account: 'other' })['x']?.status).toBe('down');
    expect(health.token('x', { account: 'default' })).toEqual({ x: { status: 'up' } });
    tokens['default'] = 'failing';
    expect(health.token('x')).toEqual({ x: { status: 'down', ...message, accounts: 2 } });
  });

  it('of the circuit is down only when those of all accounts are open', () => {
    open = ['default', 'of an account that nobody knows'];
    const message = { message: 'circuit open' };
    expect(health.circuit('x')).toEqual({ x: { status: 'up', ...message, accounts: 1 } });
    expect(health.circuit('x', { account: 'default' })['x']?.status).toBe('down');
    open = ['default', 'other'];
    expect(health.circuit('x')).toEqual({ x: { status: 'down', ...message, accounts: 2 } });
  });

  it.each(['deliveries', 'calls'] as const)(
    'of the backlog is down when %s are late',
    async (queue) => {
      work = { ...work, queues: [waits(queue, { oldestMs: MINUTE })] };
      expect((await health.backlog('x', { maxAgeMs: MINUTE }))['x']?.status).toBe('up');
      expect((await health.backlog('x', { maxAgeMs: MINUTE - 1 }))['x']?.status).toBe('down');
    },
  );

  it('of the backlog does not count how old dead letters and reviews are', async () => {
    const oldestMs = 99 * MINUTE;
    work = {
      ...work,
      queues: [waits('dead_letters', { oldestMs }), waits('in_review', { oldestMs })],
    };
    expect((await health.backlog('x', { maxAgeMs: MINUTE }))['x']?.status).toBe('up');
  });

  it('of the backlog is down with more dead letters than the host accepts', async () => {
    work = { ...work, queues: [waits('dead_letters', { count: 3 })] };
    expect((await health.backlog('x'))['x']?.status).toBe('up');
    expect((await health.backlog('x', { maxDeadLetters: 3 }))['x']?.status).toBe('up');
    expect((await health.backlog('x', { maxDeadLetters: 2 }))['x']?.status).toBe('down');
  });

  it('of the backlog says what waits, of one account or of all', async () => {
    work = {
      ...work,
      queues: [
        waits('deliveries', { count: 2, oldestMs: 1_000.4 }),
        waits('deliveries', { account: 'other', count: 3, oldestMs: 2_000 }),
        waits('calls', { count: 4, oldestMs: 500 }),
        waits('dead_letters', { count: 5 }),
        waits('in_review', { count: 6, oldestMs: 3_000.4 }),
        waits('passed_guard', { count: 8 }),
        waits('open', { count: 7, oldestMs: MINUTE }),
      ],
    };
    const reviews = { inReview: 6, oldestReviewMs: 3_000, passedGuard: 8 };
    const counts = { listenerCalls: 4, deadLetters: 5, ...reviews };
    expect(await health.backlog('x')).toEqual({
      x: { status: 'up', deliveries: 5, oldestMs: 2_000, ...counts },
    });
    expect(await health.backlog('x', { account: 'default' })).toEqual({
      x: { status: 'up', deliveries: 2, oldestMs: 1_000, ...counts },
    });
  });

  describe('of the last callback', () => {
    const check = async (account?: string) =>
      (await health.lastCallback('x', { maxSilenceMs: MINUTE, ...(account && { account }) }))['x'];
    beforeEach(() => {
      work = { ...work, queues: [waits('open', { oldestMs: MINUTE + 1 })] };
    });

    it('is down when operations wait and no callback came', async () => {
      deliveries = [{ kind: 'webhook', ageMs: 1 }];
      expect(await check()).toEqual({
        status: 'down',
        message: `operations of account default wait, and no callback came for longer than ${MINUTE} ms`,
      });
    });

    it.each([
      [MINUTE, 'up'],
      [MINUTE + 1, 'down'],
    ])('counts from the newest callback: %s ms ago is %s', async (ageMs, status) => {
      deliveries = [
        { kind: 'webhook', ageMs: 1 },
        { kind: 'callback', ageMs },
        { kind: 'callback', ageMs: 99 * MINUTE },
      ];
      expect((await check())?.status).toBe(status);
    });

    it.each([
      ['no operation waits for so long', waits('open', { oldestMs: MINUTE })],
      ['nobody has paid a payment link', waits('open_links', { oldestMs: 99 * MINUTE })],
      ['only a listener call waits', waits('calls', { oldestMs: 99 * MINUTE })],
    ])('is up while %s', async (_, queue) => {
      work = { ...work, queues: [queue] };
      expect((await check())?.status).toBe('up');
    });

    it('is about one account or about all', async () => {
      expect((await check('default'))?.status).toBe('down');
      expect((await check('other'))?.status).toBe('up');
    });

    it('is not older than the deliveries that were searched', async () => {
      deliveries = Array.from({ length: 200 }, () => ({ kind: 'webhook', ageMs: MINUTE }));
      expect((await check())?.status).toBe('up');
      deliveries.pop();
      expect((await check())?.status).toBe('down');
    });

    it('is down when the store does not answer', async () => {
      isStoreAway = true;
      expect(await check()).toEqual({ status: 'down', message: 'the store does not answer' });
    });
  });
});
