import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { BackgroundRequests } from '../platform/background-requests.js';
import type { Pause } from '../store/pauses.store.js';
import { RecordedTelemetry } from '../testing/recorded.telemetry.js';
import { accountsOf, SETTINGS } from '../testing/ledger.fixture.js';
import type { QueueLength } from '../store/statistics.store.js';
import { type WaitingWork, type WaitingWorkService, WorkGauges } from './waiting-work.service.js';

const aQueue = (changes: Partial<QueueLength>): QueueLength => ({
  account: 'default',
  queue: 'calls',
  count: 1,
  oldestMs: 1_000,
  ...changes,
});
const aPause = (account: string | null): Pause => ({
  account,
  by: 'jane',
  note: 'x',
  at: new Date(0),
});

describe('The gauges of what waits', () => {
  let telemetry: RecordedTelemetry;
  let work: WaitingWork;
  let openCircuits: string[];
  let gauges: WorkGauges;

  beforeEach(() => {
    telemetry = new RecordedTelemetry();
    telemetry.start();
    work = { queues: [], pauses: [], isKnown: true };
    openCircuits = [];
    gauges = new WorkGauges(
      { read: async () => work } as WaitingWorkService,
      { openCircuits: () => openCircuits } as unknown as BackgroundRequests,
      accountsOf(
        SETTINGS,
        { ...SETTINGS, account: 'big', path: 'big', telemetry: { accountInMetrics: true } },
        { ...SETTINGS, account: 'small', path: 'small' },
      ),
    );
    gauges.onApplicationBootstrap();
  });
  afterEach(async () => {
    gauges.onModuleDestroy();
    await telemetry.stop();
  });

  const valuesOf = async (metric: string) =>
    Object.fromEntries(
      (await telemetry.points(metric)).map(({ value, attributes }) => [
        Object.values(attributes).join(' '),
        value,
      ]),
    );

  it('have the sum and the greatest age of each queue, and a separate value for an account that wants one', async () => {
    work = {
      ...work,
      queues: [
        aQueue({ count: 2, oldestMs: 5_000 }),
        aQueue({ account: 'small', count: 3, oldestMs: 7_000 }),
        aQueue({ account: 'big', count: 4, oldestMs: 9_000 }),
        aQueue({ queue: 'deliveries', count: 5, oldestMs: 1_000 }),
      ],
    };
    expect(await valuesOf('tillkit.backlog')).toMatchObject({
      calls: 5,
      'big calls': 4,
      deliveries: 5,
      'big deliveries': 0,
    });
    expect(await valuesOf('tillkit.backlog.age')).toMatchObject({
      calls: 7,
      'big calls': 9,
      deliveries: 1,
      'big deliveries': 0,
    });
  });

  it('count the pauses and the open circuits', async () => {
    work = { ...work, pauses: [aPause(null), aPause('one'), aPause('two')] };
    openCircuits = ['one', 'two'];
    expect(await valuesOf('tillkit.sending.pauses')).toEqual({ '': 3 });
    expect(await telemetry.sum('tillkit.circuit.open')).toBe(2);
  });

  it('say that the store answers', async () => {
    expect(await valuesOf('tillkit.store.up')).toEqual({ '': 1 });
  });

  it('say only that the store is away when it does not answer', async () => {
    work = { queues: [], pauses: [], isKnown: false };
    expect(await valuesOf('tillkit.store.up')).toEqual({ '': 0 });
    expect(await valuesOf('tillkit.backlog')).toEqual({});
    expect(await valuesOf('tillkit.sending.pauses')).toEqual({});
  });

  it('are not read any more after the end of the application', async () => {
    gauges.onModuleDestroy();
    expect(await valuesOf('tillkit.store.up')).toEqual({});
  });
});
