import type { Scheduler } from './virtual.scheduler.js';

/** Runs all microtasks now: what waits for an answer goes on in virtual time. */
const drainMicrotasks = (process as unknown as { _tickCallback: () => void })._tickCallback;

/** Nothing takes longer: every statement has a timeout. */
const LONGEST_MS = 20_000;

/** While some work waits for a lock, virtual time goes on for so long: then it is waited for. */
const LEFT_BEHIND_MS = 15_000;

interface Work {
  begin(): Promise<void>;
  /** Tells whoever waits for it how it ended. */
  tell(): void;
  done: Promise<void>;
  hasEnded: boolean;
  begunAt: number;
}

/**
 * Work outside of virtual time: statements of a real database. Virtual time stands still until what was begun has ended,
 * or is known to wait for a lock; what waits is left behind, and tells its answer when it has one.
 */
export class RealWork {
  /** Whether code of the history runs at this moment, to which time is virtual. */
  isVirtual = false;
  private end: number | null = null;
  private readonly asked: Work[] = [];
  private readonly underWay = new Set<Work>();

  constructor(
    private readonly scheduler: Scheduler,
    private readonly server: { setClock(ms: number): void; waiting(): Promise<number> },
    /** Whether work may wait for other work, so that both are begun together. */
    private readonly gathers: () => boolean,
    private readonly leftBehind: () => void,
    /** How long work is waited for before somebody asks whether it waits for something else. */
    private readonly patienceMs = 10,
  ) {}

  run<T>(work: () => Promise<T>, mayGather = false): Promise<T> {
    return new Promise((resolve, reject) => {
      const asked: Work = {
        begin: async () => {
          try {
            const result = await work();
            asked.tell = () => resolve(result);
          } catch (error) {
            asked.tell = () => reject(error as Error);
          }
          asked.hasEnded = true;
        },
        tell: () => undefined,
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

  /** Runs a history up to each of its times. */
  drive(times: Iterator<number, void>): Promise<void> {
    const { scheduler } = this;
    return new Promise((resolve, reject) => {
      // From the event loop: microtasks cannot be drained from within one.
      const turn = (): void => {
        let isOver = true;
        try {
          this.isVirtual = true;
          this.tell();
          isOver = this.advance(times);
        } catch (error) {
          reject(error as Error);
        }
        this.isVirtual = false;
        if (isOver) {
          resolve();
          return;
        }
        const all = !scheduler.paused;
        scheduler.paused = false;
        this.settle(all).then(() => setImmediate(turn), reject);
      };
      setImmediate(turn);
    });
  }

  /** Runs steps until something real must be waited for. True when the history is over. */
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
    for (const { begunAt } of this.underWay) limit = Math.min(limit, begunAt + LEFT_BEHIND_MS);
    return limit;
  }

  /** Tells what has ended, in the order in which it was begun. */
  private tell(): void {
    for (const work of this.underWay) {
      if (!work.hasEnded) continue;
      this.underWay.delete(work);
      work.tell();
      drainMicrotasks();
    }
  }

  /** @param all also what was left behind, since virtual time cannot go on without it */
  private async settle(all: boolean): Promise<void> {
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
    while (!(await ended(expected, this.patienceMs))) {
      if (!all && (await this.server.waiting()) > 0) {
        if (!(await ended(expected, this.patienceMs))) this.leftBehind();
        return;
      }
      if (performance.now() - began > LONGEST_MS) throw new Error('the store does not answer');
    }
    // What no longer waits for a lock ends now.
    if (before.length > 0 && !all && (await this.server.waiting()) === 0) {
      await ended(before, LONGEST_MS);
    }
  }
}

/** Whether all of it ends within a time. */
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
