import { afterEach, describe, expect, it } from '@jest/globals';
import { Logger, type LoggerService } from '@nestjs/common';
import { NEVER, Subject } from 'rxjs';
import { Runtime } from './runtime.js';
import { WorkLoop, type WorkSource } from './work.loop.js';

const FOREVER_MS = 60_000;

/** A promise that the test resolves. */
class Deferred {
  resolve!: () => void;
  readonly promise = new Promise<void>((resolve) => (this.resolve = resolve));
}

describe('a work loop', () => {
  const errors: string[] = [];
  const loops: WorkLoop<number>[] = [];

  const loopOf = (source: Partial<WorkSource<number>>): WorkLoop<number> => {
    const log = (): void => undefined;
    const error = (message: string): number => errors.push(message);
    Logger.overrideLogger({ log, warn: log, error } satisfies LoggerService);
    const loop = new WorkLoop<number>({
      runtime: new Runtime(),
      name: 'pieces',
      concurrency: () => 2,
      idleMs: () => FOREVER_MS,
      wakeUps: NEVER,
      claim: async () => [],
      work: async () => undefined,
      ...source,
    });
    loops.push(loop);
    return loop;
  };

  afterEach(async () => {
    await Promise.all(loops.splice(0).map((loop) => loop.stop(0)));
    errors.length = 0;
    Logger.overrideLogger(false);
  });

  it('does existing work without a wake-up, and without a wait between full claims', async () => {
    const left = [1, 2, 3, 4, 5];
    const done: number[] = [];
    const all = new Deferred();
    loopOf({
      claim: async (limit) => left.splice(0, limit),
      work: async (piece) => {
        if (done.push(piece) === 5) all.resolve();
      },
    }).start();
    await all.promise;
    expect(new Set(done)).toEqual(new Set([1, 2, 3, 4, 5]));
  });

  it('claims as soon as it is woken, and not after it was stopped', async () => {
    const wakeUps = new Subject<void>();
    const claimed = [new Deferred(), new Deferred()];
    let claims = 0;
    const loop = loopOf({
      wakeUps,
      claim: async () => {
        claimed[claims]?.resolve();
        claims += 1;
        return [];
      },
    });
    loop.start();
    await claimed[0]?.promise;
    wakeUps.next();
    await claimed[1]?.promise;
    await loop.stop();
    expect(wakeUps.observed).toBe(false);
  });

  it('never runs more work than its limit', async () => {
    const left = [1, 2, 3, 4, 5, 6];
    let underWay = 0;
    let most = 0;
    const all = new Deferred();
    loopOf({
      claim: async (limit) => left.splice(0, limit),
      work: async (piece) => {
        most = Math.max(most, (underWay += 1));
        await new Promise(setImmediate);
        underWay -= 1;
        if (piece === 6) all.resolve();
      },
    }).start();
    await all.promise;
    expect(most).toBe(2);
  });

  it('continues in the free places when most places are occupied', async () => {
    const left = [1, 2, 3, 4, 5, 6, 7, 8];
    const done: number[] = [];
    const all = new Deferred();
    loopOf({
      concurrency: () => 4,
      claim: async (limit) => left.splice(0, limit),
      work: async (piece) => {
        if (piece <= 3) return new Promise(() => undefined);
        if (done.push(piece) === 5) all.resolve();
      },
    }).start();
    await all.promise;
    expect(new Set(done)).toEqual(new Set([4, 5, 6, 7, 8]));
  });

  it('claims again after finished work allows another claim, without a wake-up', async () => {
    const line = [1, 2, 3];
    let underWay = false;
    const all = new Deferred();
    loopOf({
      chained: true,
      claim: async () => {
        if (underWay || line.length === 0) return [];
        underWay = true;
        return line.splice(0, 1);
      },
      work: async (piece) => {
        await new Promise(setImmediate);
        underWay = false;
        if (piece === 3) all.resolve();
      },
    }).start();
    await all.promise;
    expect(line).toEqual([]);
  });

  it('that is started twice runs once', async () => {
    let claims = 0;
    const claimed = new Deferred();
    const loop = loopOf({
      claim: async () => {
        claims += 1;
        claimed.resolve();
        return [];
      },
    });
    loop.start();
    loop.start();
    await claimed.promise;
    await loop.stop(0);
    expect(claims).toBe(1);
  });

  it('logs once that the store fails, and continues when the store works again', async () => {
    let failures = 0;
    const worked = new Deferred();
    loopOf({
      idleMs: () => 1,
      claim: async () => {
        if (failures < 3) {
          failures += 1;
          throw new Error('the store is away');
        }
        return [1];
      },
      work: async () => worked.resolve(),
    }).start();
    await worked.promise;
    expect(errors).toEqual([
      'the store could not claim pieces; the next claim follows soon: the store is away',
    ]);
  });

  it('logs an error of one piece of work, and continues', async () => {
    const left = [1, 2];
    const second = new Deferred();
    loopOf({
      concurrency: () => 1,
      claim: async (limit) => left.splice(0, limit),
      work: async (piece) => {
        if (piece === 2) return second.resolve();
        // oxlint-disable-next-line no-throw-literal -- hosts do throw strings, and this test shows what happens then
        throw 'a text';
      },
    }).start();
    await second.promise;
    expect(errors).toEqual(['pieces: a text']);
  });

  it('that stops waits for running work, and claims no more', async () => {
    const begun = new Deferred();
    const finish = new Deferred();
    let done = false;
    let claims = 0;
    const loop = loopOf({
      claim: async () => {
        claims += 1;
        return claims === 1 ? [1] : [];
      },
      work: async () => {
        begun.resolve();
        await finish.promise;
        done = true;
      },
    });
    loop.start();
    await begun.promise;
    const stopped = loop.stop(FOREVER_MS);
    finish.resolve();
    await stopped;
    const before = claims;
    loop.wake();
    await new Promise(setImmediate);
    expect({ done, claims }).toEqual({ done: true, claims: before });
  });

  it('that stops waits at most for its time limit', async () => {
    const begun = new Deferred();
    const loop = loopOf({
      claim: async () => [1],
      work: () => {
        begun.resolve();
        return new Promise(() => undefined);
      },
    });
    loop.start();
    await begun.promise;
    await expect(loop.stop(1)).resolves.toBeUndefined();
  });

  it('can be started again', async () => {
    let claims = 0;
    const again = new Deferred();
    const loop = loopOf({
      claim: async () => {
        claims += 1;
        if (claims === 2) again.resolve();
        return [];
      },
    });
    loop.start();
    await loop.stop(0);
    loop.start();
    await again.promise;
    expect(claims).toBe(2);
  });
});
