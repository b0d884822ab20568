import { afterEach, describe, expect, it } from '@jest/globals';
import { Logger, type LoggerService } from '@nestjs/common';
import { NEVER, Subject } from 'rxjs';
import { AsyncLocalStorage } from 'node:async_hooks';
import { SkippingRuntime } from '../testing/skipping.runtime.js';
import type { DueWork } from '../store/due-work.store.js';
import { Runtime } from '../runtime/clock.js';
import { includes } from '../store/claim.js';
import { WorkLoop, type WorkSource } from './work-loop.js';

const FOREVER_MS = 60_000;

interface Piece {
  account: string;
  n: number;
}

function pieces(...numbers: readonly number[]): Piece[] {
  return numbers.map((n) => ({ account: 'default', n }));
}

/** A promise that the test resolves. */
class Deferred {
  resolve!: () => void;
  readonly promise = new Promise<void>((resolve) => (this.resolve = resolve));
}

describe('a work loop', () => {
  const errors: string[] = [];
  const loops: WorkLoop<Piece>[] = [];
  /** Passes on what a look has found; null when nobody watches. */
  let look: ((work: DueWork) => void) | null = null;
  /** Counts how often a loop said that it has worked. */
  let worked = 0;
  const finder: WorkSource<Piece>['finder'] = {
    watch: ({ isDue, claim }) => {
      look = (work) => {
        if (isDue(work)) claim();
      };
      return () => (look = null);
    },
    expect: () => (worked += 1),
  };

  const loopOf = (source: Partial<WorkSource<Piece>>): WorkLoop<Piece> => {
    const log = (): void => undefined;
    const error = (message: unknown): number => errors.push(String(message));
    Logger.overrideLogger({ log, warn: log, error } satisfies LoggerService);
    const loop = new WorkLoop<Piece>({
      runtime: new Runtime(),
      name: 'pieces',
      accounts: () => ['default'],
      concurrency: () => 2,
      finder,
      isDue: () => true,
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
    worked = 0;
    Logger.overrideLogger(false);
  });

  it('begins no piece in the async context of who hands it over, nor of a piece that has ended', async () => {
    const context = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    const all = new Deferred();
    const loop = loopOf({
      concurrency: () => 1,
      work: async ({ n }) => {
        seen.push(context.getStore());
        context.enterWith(`of piece ${n}`);
        await Promise.resolve();
        if (seen.length === 3) all.resolve();
      },
    });
    loop.start();
    context.run('of a request', () => loop.take(pieces(1, 2, 3)));
    await all.promise;
    expect(seen).toEqual([undefined, undefined, undefined]);
  });

  it('does existing work without a wake-up, and without a wait between full claims', async () => {
    const left = pieces(1, 2, 3, 4, 5);
    const done: number[] = [];
    const all = new Deferred();
    loopOf({
      claim: async (_, limit) => left.splice(0, limit),
      work: async ({ n: piece }) => {
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

  it('claims when a look has found work for it, and not when it has found other work', async () => {
    const claimed = [new Deferred(), new Deferred()];
    let claims = 0;
    loopOf({
      isDue: ({ webhooks }) => webhooks,
      claim: async () => {
        claimed[claims]?.resolve();
        claims += 1;
        return [];
      },
    }).start();
    await claimed[0]?.promise;
    const nothing = { callbacks: false, webhooks: false, open: false, followed: false };
    look?.({ ...nothing, callbacks: true, calls: [], planned: [], accounts: [], nextMs: null });
    await new Promise(setImmediate);
    expect(claims).toBe(1);
    look?.({ ...nothing, webhooks: true, calls: [], planned: [], accounts: [], nextMs: null });
    await claimed[1]?.promise;
  });

  it('sets no timer while it has nothing to do', async () => {
    const runtime = new Runtime();
    let timers = 0;
    runtime.timer = () => {
      timers += 1;
      return () => undefined;
    };
    const claimed = new Deferred();
    loopOf({
      runtime,
      claim: async () => {
        claimed.resolve();
        return [];
      },
    }).start();
    await claimed.promise;
    await new Promise(setImmediate);
    expect(timers).toBe(0);
  });

  it('asks for a look after work and after a wake-up, because more may become due, and not after a look', async () => {
    const left = pieces(1);
    const loop = loopOf({ claim: async (_, limit) => left.splice(0, limit) });
    loop.start();
    while (worked === 0) await new Promise(setImmediate);
    look?.({} as DueWork);
    await new Promise(setImmediate);
    expect(worked).toBe(1);
    loop.wake();
    expect(worked).toBe(2);
  });

  it('that stops is found by no look any more', async () => {
    const loop = loopOf({});
    loop.start();
    await loop.stop(0);
    expect(look).toBeNull();
  });

  it('never runs more work than its limit', async () => {
    const left = pieces(1, 2, 3, 4, 5, 6);
    let underWay = 0;
    let most = 0;
    const all = new Deferred();
    loopOf({
      claim: async (_, limit) => left.splice(0, limit),
      work: async ({ n: piece }) => {
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
    const left = pieces(1, 2, 3, 4, 5, 6, 7, 8);
    const done: number[] = [];
    const all = new Deferred();
    loopOf({
      concurrency: () => 4,
      claim: async (_, limit) => left.splice(0, limit),
      work: async ({ n: piece }) => {
        if (piece <= 3) return new Promise(() => undefined);
        if (done.push(piece) === 5) all.resolve();
      },
    }).start();
    await all.promise;
    expect(new Set(done)).toEqual(new Set([4, 5, 6, 7, 8]));
  });

  it('does the work of one account while all work of another account hangs', async () => {
    const left = Array.from({ length: 8 }, (_, n) => [
      { account: 'slow', n },
      { account: 'quick', n },
    ]).flat();
    const done: number[] = [];
    const all = new Deferred();
    let slow = 0;
    loopOf({
      accounts: () => ['slow', 'quick'],
      claim: async (accounts, limit) => {
        const claimed = left.filter(({ account }) => includes(accounts, account)).slice(0, limit);
        for (const piece of claimed) left.splice(left.indexOf(piece), 1);
        return claimed;
      },
      work: async ({ account, n }) => {
        if (account === 'slow') {
          slow += 1;
          return new Promise(() => undefined);
        }
        if (done.push(n) === 8) all.resolve();
      },
    }).start();
    await all.promise;
    expect(slow).toBe(2);
  });

  it('claims more work of an account as soon as the account has room again', async () => {
    const left = [1, 2, 3].map((n) => ({ account: 'slow', n }));
    const hanging: (() => void)[] = [];
    const othersClaimed = new Deferred();
    const last = new Deferred();
    loopOf({
      accounts: () => ['slow', 'quick'],
      claim: async (accounts, limit) => {
        if (includes(accounts, 'slow')) return left.splice(0, limit);
        othersClaimed.resolve();
        return [];
      },
      work: ({ n }) => {
        if (n === 3) last.resolve();
        return new Promise((resolve) => hanging.push(resolve));
      },
    }).start();
    await othersClaimed.promise;
    hanging[0]?.();
    await last.promise;
  });

  it('runs at most four times the work of one account, however many accounts there are', async () => {
    const accounts = Array.from({ length: 9 }, (_, n) => `account ${n}`);
    const left = accounts.flatMap((account) => [1, 2].map((n) => ({ account, n })));
    const begun = new Deferred();
    let underWay = 0;
    const loop = loopOf({
      accounts: () => accounts,
      claim: async (named, limit) => {
        const claimed = left.filter(({ account }) => includes(named, account)).slice(0, limit);
        for (const piece of claimed) left.splice(left.indexOf(piece), 1);
        return claimed;
      },
      work: () => {
        underWay += 1;
        if (underWay === 8) begun.resolve();
        return new Promise(() => undefined);
      },
    });
    loop.start();
    await begun.promise;
    for (let n = 0; n < 20; n += 1) await new Promise(setImmediate);
    expect(underWay).toBe(8);
  });

  it('that keeps shares does the work of other accounts while that of four accounts hangs, and never more of one than its share', async () => {
    const hanging = ['a', 'b', 'c', 'd', 'e'];
    const accounts = [...hanging, 'quick'];
    const left = hanging.flatMap((account) =>
      Array.from({ length: 99 }, (_, n) => ({ account, n })),
    );
    const begun = new Map<string, number>();
    const all = new Deferred();
    const isFull = new Deferred();
    const wakeUps = new Subject<void>();
    loopOf({
      wakeUps,
      accounts: () => accounts,
      concurrency: 20,
      keepsShares: true,
      claim: async (named, limit) => {
        const claimed = left.filter(({ account }) => includes(named, account)).slice(0, limit);
        for (const piece of claimed) left.splice(left.indexOf(piece), 1);
        return claimed;
      },
      work: async ({ account, n }) => {
        begun.set(account, (begun.get(account) ?? 0) + 1);
        if (account === 'quick') return n === 9 ? all.resolve() : undefined;
        if (begun.get('e') === 2) isFull.resolve();
        return new Promise(() => undefined);
      },
    }).start();
    await isFull.promise;
    left.push(...Array.from({ length: 10 }, (_, n) => ({ account: 'quick', n })));
    wakeUps.next();
    await all.promise;
    expect(hanging.map((account) => begun.get(account))).toEqual([20, 20, 20, 20, 2]);
  });

  it('claims no more pieces than fit in by their size, and claims again when one has ended', async () => {
    const left = pieces(1, 2, 3, 4);
    const done: number[] = [];
    const all = new Deferred();
    let running = 0;
    let most = 0;
    loopOf({
      concurrency: 4,
      mostNow: () => 1 - running,
      claim: async (_, limit) => left.splice(0, limit),
      work: async ({ n }) => {
        most = Math.max(most, (running += 1));
        await new Promise(setImmediate);
        running -= 1;
        if (done.push(n) === 4) all.resolve();
      },
    }).start();
    await all.promise;
    expect(most).toBe(1);
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
      runtime: new SkippingRuntime(),
      claim: async () => {
        if (failures < 3) {
          failures += 1;
          throw new Error('the store is away');
        }
        return pieces(1);
      },
      work: async () => worked.resolve(),
    }).start();
    await worked.promise;
    expect(errors).toEqual([
      'the store could not claim pieces; the next claim follows soon: the store is away',
    ]);
  });

  it('logs an error of one piece of work, and continues', async () => {
    const left = pieces(1, 2);
    const second = new Deferred();
    loopOf({
      concurrency: () => 1,
      claim: async (_, limit) => left.splice(0, limit),
      work: async ({ n: piece }) => {
        if (piece === 2) return second.resolve();
        // oxlint-disable-next-line no-throw-literal -- hosts do throw texts, and that is what is tested
        throw 'a text';
      },
    }).start();
    await second.promise;
    expect(errors).toEqual(['pieces: a text account=default']);
  });

  it('that stops waits for running work, and claims no more', async () => {
    const begun = new Deferred();
    const finish = new Deferred();
    let done = false;
    let claims = 0;
    const loop = loopOf({
      claim: async () => {
        claims += 1;
        return claims === 1 ? pieces(1) : [];
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
      claim: async () => pieces(1),
      work: () => {
        begun.resolve();
        return new Promise(() => undefined);
      },
    });
    loop.start();
    await begun.promise;
    await expect(loop.stop(1)).resolves.toBeUndefined();
  });

  it('that stops waits no longer for a claim that hangs', async () => {
    const claimed = new Deferred();
    const loop = loopOf({
      claim: () => {
        claimed.resolve();
        return new Promise(() => undefined);
      },
    });
    loop.start();
    await claimed.promise;
    await expect(loop.stop(1)).resolves.toBeUndefined();
  });

  it('that was stopped begins no work that is claimed elsewhere', async () => {
    const begun: number[] = [];
    const loop = loopOf({ work: async ({ n }) => void begun.push(n) });
    loop.start();
    await loop.stop();
    loop.take(pieces(1));
    await new Promise(setImmediate);
    expect(begun).toEqual([]);
    expect(loop.waiting).toBe(0);
  });

  it('that stops does work that is claimed elsewhere while it waits for running work', async () => {
    const begun: number[] = [];
    const first = new Deferred();
    const loop = loopOf({
      work: async ({ n }) => {
        begun.push(n);
        if (n === 1) await first.promise;
      },
    });
    loop.start();
    loop.take(pieces(1));
    const stopped = loop.stop();
    await new Promise(setImmediate);
    loop.take(pieces(2));
    first.resolve();
    await stopped;
    expect(begun).toEqual([1, 2]);
  });

  it('that was stopped begins no work that had waited for room', async () => {
    const begun: number[] = [];
    const first = new Deferred();
    const loop = loopOf({
      concurrency: () => 1,
      work: async ({ n }) => {
        begun.push(n);
        await first.promise;
      },
    });
    loop.start();
    loop.take(pieces(1, 2));
    await loop.stop(1);
    first.resolve();
    await new Promise(setImmediate);
    expect(begun).toEqual([1]);
  });

  it('can be started again', async () => {
    let claims = 0;
    const again = new Deferred();
    const taken = new Deferred();
    const loop = loopOf({
      claim: async () => {
        claims += 1;
        if (claims === 2) again.resolve();
        return [];
      },
      work: async () => taken.resolve(),
    });
    loop.start();
    await loop.stop(0);
    loop.start();
    await again.promise;
    expect(claims).toBe(2);
    loop.take(pieces(1));
    await taken.promise;
  });
});
