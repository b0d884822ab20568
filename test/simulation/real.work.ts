import type { Scheduler } from './virtual.scheduler.js';

/** Runs all microtasks now, so that code that waits for an answer continues in virtual time. */
const drainMicrotasks = (process as unknown as { _tickCallback: () => void })._tickCallback;

/** Maximum real time of any work, also on a busy machine. It ends only what hangs, because every statement has a timeout. */
const LONGEST_MS = 300_000;

/** While work waits for a lock, virtual time goes on for at most this long. */
const MAX_BEHIND_MS = 15_000;

interface Work {
  begin(): Promise<void>;
  /** Settles the promise of the caller. */
  settle(): void;
  done: Promise<void>;
  hasEnded: boolean;
  begunAt: number;
}

/**
 * Work outside of virtual time, such as statements of a real database. Virtual time stands still until the work has ended or waits for a
 * lock. It goes on while work waits, and that work settles when its answer comes.
 */
export class RealWork {
  /** True when code of the history runs now. For that code time is virtual. */
  isVirtual = false;
  private end: number | null = null;
  private readonly asked: Work[] = [];
  private readonly underWay = new Set<Work>();

  constructor(
    private readonly scheduler: Scheduler,
    private readonly server: { setClock(ms: number): void; waiting(): Promise<number> },
    /** True when work waits for other work, so that both start together. */
    private readonly gathers: () => boolean,
    private readonly onLockWait: () => void,
    /** Time after which unfinished work is checked for a lock. */
    private readonly pollMs = 10,
  ) {}

  run<T>(work: () => Promise<T>, mayGather = false): Promise<T> {
    return new Promise((resolve, reject) => {
      const asked: Work = {
        begin: async () => {
          try {
            const result = await work();
            asked.settle = () => resolve(result);
          } catch (error) {
            asked.settle = () => reject(error as Error);
          }
          asked.hasEnded = true;
        },
        settle: () => undefined,
        done: Promise.resolve(),
        hasEnded: false,
        begunAt: 0,
      };
      this.asked.push(asked);
      const pause = (): void => {
        this.scheduler.paused = true;
      };
      if (mayGather && this.gathers()) this.scheduler.park(null, 'the store works', pause);
      else pause();
    });
  }

  /** Runs each phase of a history. */
  drive(times: Iterator<number, void>): Promise<void> {
    const { scheduler } = this;
    return new Promise((resolve, reject) => {
      // It runs from the event loop, because a microtask cannot drain microtasks.
      const turn = (): void => {
        let isFinished = true;
        try {
          this.isVirtual = true;
          this.settleEnded();
          isFinished = this.advance(times);
        } catch (error) {
          reject(error as Error);
        }
        this.isVirtual = false;
        if (isFinished) {
          resolve();
          return;
        }
        const all = !scheduler.paused;
        scheduler.paused = false;
        this.waitForWork(all).then(() => setImmediate(turn), reject);
      };
      setImmediate(turn);
    });
  }

  /** Runs steps until it must wait for real work. True when the history has ended. */
  private advance(times: Iterator<number, void>): boolean {
    const { scheduler } = this;
    for (;;) {
      if (this.end === null) {
        const next = times.next();
        drainMicrotasks();
        if (next.done) return true;
        this.end = next.value;
      }
      scheduler.runUntil(Math.min(this.end, this.limit()));
      if (scheduler.stopped) return true;
      if (scheduler.paused || this.underWay.size > 0) return false;
      this.end = null;
    }
  }

  private limit(): number {
    let limit = Infinity;
    for (const { begunAt } of this.underWay) limit = Math.min(limit, begunAt + MAX_BEHIND_MS);
    return limit;
  }

  /** Settles the work that has ended, in the order in which it started. */
  private settleEnded(): void {
    for (const work of this.underWay) {
      if (!work.hasEnded) continue;
      this.underWay.delete(work);
      work.settle();
      drainMicrotasks();
    }
  }

  /** @param all true also waits for older work, because virtual time cannot go on without it */
  private async waitForWork(all: boolean): Promise<void> {
    this.server.setClock(this.scheduler.now);
    const before = [...this.underWay];
    const fresh = this.asked.splice(0);
    for (const work of fresh) {
      work.begunAt = this.scheduler.now;
      this.underWay.add(work);
      work.done = work.begin();
    }
    const began = performance.now();
    const expected = all ? [...before, ...fresh] : fresh;
    while (!(await ended(expected, this.pollMs))) {
      if (!all && (await this.server.waiting()) > 0) {
        if (!(await ended(expected, this.pollMs))) this.onLockWait();
        return;
      }
      if (performance.now() - began > LONGEST_MS) throw new Error('the store does not answer');
    }
    // No work waits for a lock any more, so older work ends now.
    if (before.length > 0 && !all && (await this.server.waiting()) === 0) {
      await ended(before, LONGEST_MS);
    }
  }
}

/** Resolves with true when all work ends within this time. */
async function ended(works: readonly Work[], withinMs: number): Promise<boolean> {
  const pending = works.filter(({ hasEnded }) => !hasEnded);
  if (pending.length === 0) return true;
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([
    Promise.all(pending.map(({ done }) => done)),
    new Promise((resolve) => {
      timer = setTimeout(resolve, withinMs);
    }),
  ]);
  clearTimeout(timer);
  return works.every(({ hasEnded }) => hasEnded);
}
