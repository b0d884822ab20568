import { afterEach, describe, expect, it } from '@jest/globals';
import { Logger, type LoggerService } from '@nestjs/common';
import { NEVER, Subject } from 'rxjs';
import { Runtime } from './runtime.js';
import { WorkLoop, type WorkSource } from './work.loop.js';

const FOREVER_MS = 60_000;

interface Piece {
  account: string;
  n: number;
}

function pieces(...numbers: readonly number[]): Piece[] {
  return numbers.map((n) => ({ account: 'default', n }));
}

/** Something that is waited for, from outside. */
class Gate {
  open!: () => void;
  readonly opened = new Promise<void>((resolve) => (this.open = resolve));
}

describe('a loop of work', () => {
  const errors: string[] = [];
  const loops: WorkLoop<Piece>[] = [];

  const loopOf = (source: Partial<WorkSource<Piece>>): WorkLoop<Piece> => {
    const log = (): void => undefined;
    const error = (message: string): number => errors.push(message);
    Logger.overrideLogger({ log, warn: log, error } satisfies LoggerService);
    const loop = new WorkLoop<Piece>({
      runtime: new Runtime(),
      name: 'pieces',
      accounts: () => ['default'],
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

  it('does work that is there before anybody wakes it, without a wait between full claims', async () => {
    const left = pieces(1, 2, 3, 4, 5);
    const done: number[] = [];
    const all = new Gate();
    loopOf({
      claim: async (_, limit) => left.splice(0, limit),
      work: async ({ n: piece }) => {
        if (done.push(piece) === 5) all.open();
      },
    }).start();
    await all.opened;
    expect(new Set(done)).toEqual(new Set([1, 2, 3, 4, 5]));
  });

  it('claims as soon as it is woken, and not after it was stopped', async () => {
    const wakeUps = new Subject<void>();
    const claimed = [new Gate(), new Gate()];
    let claims = 0;
    const loop = loopOf({
      wakeUps,
      claim: async () => {
        claimed[claims]?.open();
        claims += 1;
        return [];
      },
    });
    loop.start();
    await claimed[0]?.opened;
    wakeUps.next();
    await claimed[1]?.opened;
    await loop.stop();
    expect(wakeUps.observed).toBe(false);
  });

  it('never has more under way than it may', async () => {
    const left = pieces(1, 2, 3, 4, 5, 6);
    let underWay = 0;
    let most = 0;
    const all = new Gate();
    loopOf({
      claim: async (_, limit) => left.splice(0, limit),
      work: async ({ n: piece }) => {
        most = Math.max(most, (underWay += 1));
        await new Promise(setImmediate);
        underWay -= 1;
        if (piece === 6) all.open();
      },
    }).start();
    await all.opened;
    expect(most).toBe(2);
  });

  it('goes on in the places that are left when most of them are held', async () => {
    const left = pieces(1, 2, 3, 4, 5, 6, 7, 8);
    const done: number[] = [];
    const all = new Gate();
    loopOf({
      concurrency: () => 4,
      claim: async (_, limit) => left.splice(0, limit),
      work: async ({ n: piece }) => {
        if (piece <= 3) return new Promise(() => undefined);
        if (done.push(piece) === 5) all.open();
      },
    }).start();
    await all.opened;
    expect(new Set(done)).toEqual(new Set([4, 5, 6, 7, 8]));
  });

  it('leaves room for one account while all the work of another one hangs', async () => {
    const left = Array.from({ length: 8 }, (_, n) => [
      { account: 'slow', n },
      { account: 'quick', n },
    ]).flat();
    const done: number[] = [];
    const all = new Gate();
    let slow = 0;
    loopOf({
      accounts: () => ['slow', 'quick'],
      claim: async (accounts, limit) => {
        const claimed = left.filter(({ account }) => accounts.includes(account)).slice(0, limit);
        for (const piece of claimed) left.splice(left.indexOf(piece), 1);
        return claimed;
      },
      work: async ({ account, n }) => {
        if (account === 'slow') {
          slow += 1;
          return new Promise(() => undefined);
        }
        if (done.push(n) === 8) all.open();
      },
    }).start();
    await all.opened;
    expect(slow).toBe(2);
  });

  it('claims the work of an account again as soon as the account has room again', async () => {
    const left = [1, 2, 3].map((n) => ({ account: 'slow', n }));
    const hanging: (() => void)[] = [];
    const othersClaimed = new Gate();
    const last = new Gate();
    loopOf({
      accounts: () => ['slow', 'quick'],
      claim: async (accounts, limit) => {
        if (accounts.includes('slow')) return left.splice(0, limit);
        othersClaimed.open();
        return [];
      },
      work: ({ n }) => {
        if (n === 3) last.open();
        return new Promise((resolve) => hanging.push(resolve));
      },
    }).start();
    await othersClaimed.opened;
    hanging[0]?.();
    await last.opened;
  });

  it('does at the same time four times the work of one account at most, however many accounts there are', async () => {
    const accounts = Array.from({ length: 9 }, (_, n) => `account ${n}`);
    const left = accounts.flatMap((account) => [1, 2].map((n) => ({ account, n })));
    const begun = new Gate();
    let underWay = 0;
    const loop = loopOf({
      accounts: () => accounts,
      idleMs: () => 1,
      claim: async (named, limit) => {
        const claimed = left.filter(({ account }) => named.includes(account)).slice(0, limit);
        for (const piece of claimed) left.splice(left.indexOf(piece), 1);
        return claimed;
      },
      work: () => {
        underWay += 1;
        if (underWay === 8) begun.open();
        return new Promise(() => undefined);
      },
    });
    loop.start();
    await begun.opened;
    for (let n = 0; n < 20; n += 1) await new Promise(setImmediate);
    expect(underWay).toBe(8);
  });

  it('claims again when what was done lets more be claimed, and nobody says so', async () => {
    const line = pieces(1, 2, 3);
    let underWay = false;
    const all = new Gate();
    loopOf({
      chained: true,
      claim: async () => {
        if (underWay || line.length === 0) return [];
        underWay = true;
        return line.splice(0, 1);
      },
      work: async ({ n: piece }) => {
        await new Promise(setImmediate);
        underWay = false;
        if (piece === 3) all.open();
      },
    }).start();
    await all.opened;
    expect(line).toEqual([]);
  });

  it('that is started twice claims as one', async () => {
    let claims = 0;
    const claimed = new Gate();
    const loop = loopOf({
      claim: async () => {
        claims += 1;
        claimed.open();
        return [];
      },
    });
    loop.start();
    loop.start();
    await claimed.opened;
    await loop.stop(0);
    expect(claims).toBe(1);
  });

  it('says once that the store fails, and works again when the store does', async () => {
    let failures = 0;
    const worked = new Gate();
    loopOf({
      idleMs: () => 1,
      claim: async () => {
        if (failures < 3) {
          failures += 1;
          throw new Error('the store is away');
        }
        return pieces(1);
      },
      work: async () => worked.open(),
    }).start();
    await worked.opened;
    expect(errors).toEqual([
      'the store could not claim pieces; the next claim follows soon: the store is away',
    ]);
  });

  it('goes on after a piece that throws, and says so', async () => {
    const left = pieces(1, 2);
    const second = new Gate();
    loopOf({
      concurrency: () => 1,
      claim: async (_, limit) => left.splice(0, limit),
      work: async ({ n: piece }) => {
        if (piece === 2) return second.open();
        // oxlint-disable-next-line no-throw-literal -- hosts do throw texts, and that is what is tested
        throw 'a text';
      },
    }).start();
    await second.opened;
    expect(errors).toEqual(['pieces: a text']);
  });

  it('that stops waits for what is under way, and claims nothing more', async () => {
    const begun = new Gate();
    const finish = new Gate();
    let done = false;
    let claims = 0;
    const loop = loopOf({
      claim: async () => {
        claims += 1;
        return claims === 1 ? pieces(1) : [];
      },
      work: async () => {
        begun.open();
        await finish.opened;
        done = true;
      },
    });
    loop.start();
    await begun.opened;
    const stopped = loop.stop(FOREVER_MS);
    finish.open();
    await stopped;
    const before = claims;
    loop.wake();
    await new Promise(setImmediate);
    expect({ done, claims }).toEqual({ done: true, claims: before });
  });

  it('that stops waits no longer than it was given', async () => {
    const begun = new Gate();
    const loop = loopOf({
      claim: async () => pieces(1),
      work: () => {
        begun.open();
        return new Promise(() => undefined);
      },
    });
    loop.start();
    await begun.opened;
    await expect(loop.stop(1)).resolves.toBeUndefined();
  });

  it('can be started again', async () => {
    let claims = 0;
    const again = new Gate();
    const loop = loopOf({
      claim: async () => {
        claims += 1;
        if (claims === 2) again.open();
        return [];
      },
    });
    loop.start();
    await loop.stop(0);
    loop.start();
    await again.opened;
    expect(claims).toBe(2);
  });
});
