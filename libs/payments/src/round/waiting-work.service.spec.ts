import { beforeEach, describe, expect, it } from '@jest/globals';
import { Runtime } from '../runtime/clock.js';
import type { Pause, PausesStore } from '../store/pauses.store.js';
import type { QueueLength, StatisticsStore } from '../store/statistics.store.js';
import { WaitingWorkService } from './waiting-work.service.js';

const ONE: QueueLength = { account: 'default', queue: 'calls', count: 1, oldestMs: 1 };
const PAUSE: Pause = {
  account: null,
  by: 'jane',
  note: 'the till was moved',
  at: new Date(0),
};

describe('What waits in the store', () => {
  let now: number;
  let asked: number;
  let answer: () => Promise<QueueLength[]>;
  let work: WaitingWorkService;

  beforeEach(() => {
    now = 0;
    asked = 0;
    answer = () => Promise.resolve([ONE]);
    const runtime = new Runtime();
    runtime.elapsed = () => now;
    const queues = (): Promise<QueueLength[]> => {
      asked += 1;
      return answer();
    };
    const all = (): Promise<Pause[]> => Promise.resolve([PAUSE]);
    work = new WaitingWorkService(
      { queues } as unknown as StatisticsStore,
      { all } as unknown as PausesStore,
      runtime,
    );
  });

  it('is read by one statement in five seconds, however many callers ask', async () => {
    const both = await Promise.all([work.read(), work.read()]);
    expect(both).toEqual(Array(2).fill({ queues: [ONE], pauses: [PAUSE], isKnown: true }));
    now = 4_999;
    await work.read();
    expect(asked).toBe(1);
    now = 5_000;
    await work.read();
    expect(asked).toBe(2);
  });

  it('is asked for less often when the store takes long', async () => {
    answer = () => {
      now += 1_000;
      return Promise.resolve([ONE]);
    };
    await work.read();
    now = 20_999;
    await work.read();
    expect(asked).toBe(1);
    now = 21_000;
    await work.read();
    expect(asked).toBe(2);
  });

  it('is not known while the store fails or hangs', async () => {
    answer = () => Promise.reject(new Error('away'));
    expect(await work.read()).toEqual({ queues: [], pauses: [], isKnown: false });
    now = 5_000;
    answer = () => new Promise(() => undefined);
    expect(await work.read(1)).toEqual({ queues: [], pauses: [], isKnown: false });
    expect(await work.read(1)).toEqual({ queues: [], pauses: [], isKnown: false });
    expect(asked).toBe(2);
  });
});
