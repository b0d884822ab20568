import type { Runtime } from './runtime.js';
import type { ShutdownSignal } from './shutdown.signal.js';

const DAY_MS = 86_400_000;

/** When the work of one account is done. */
export interface AccountInterval {
  account: string;
  /** Milliseconds from the start until the first run. */
  firstMs: number;
  /** Milliseconds from the end of a run to the next one. */
  everyMs: number;
}

/** Work that each account needs at its own interval. */
export interface ScheduledWork {
  runtime: Runtime;
  shutdown: ShutdownSignal;
  /** The accounts that need the work. */
  accounts(): readonly AccountInterval[];
  /** Never rejects. */
  run(account: string): Promise<void>;
}

/** Does work of each account at its own interval, with one timer for all. A slow run delays only its own account. */
export class AccountSchedule {
  private readonly dueAt = new Map<string, number>();
  private readonly running = new Map<string, Promise<void>>();
  private loop: Promise<void> = Promise.resolve();
  private wake: () => void = () => undefined;

  constructor(private readonly work: ScheduledWork) {}

  /** Starts nothing when no account needs the work: a timer would keep a command from ending. */
  start(): void {
    if (this.work.accounts().length > 0) this.loop = this.serve();
  }

  /** Resolves when all runs have ended. The application must be closing. */
  async ended(): Promise<void> {
    await this.loop;
    await Promise.all(this.running.values());
  }

  private async serve(): Promise<void> {
    while (!this.work.shutdown.signal.aborted) {
      for (const interval of this.work.accounts()) this.beginIfDue(interval);
      await this.rest();
    }
  }

  private beginIfDue({ account, firstMs, everyMs }: AccountInterval): void {
    if (this.running.has(account)) return;
    const now = this.work.runtime.elapsed();
    const dueAt = this.dueAt.get(account) ?? now + firstMs;
    this.dueAt.set(account, dueAt);
    if (now < dueAt) return;
    this.dueAt.delete(account);
    const run = this.work.run(account).finally(() => {
      this.running.delete(account);
      this.dueAt.set(account, this.work.runtime.elapsed() + everyMs);
      this.wake();
    });
    this.running.set(account, run);
  }

  /** Waits until the work of an account is due, a run ends, or the application closes. */
  private async rest(): Promise<void> {
    const { runtime, shutdown } = this.work;
    const waitMs = Math.min(
      DAY_MS,
      ...[...this.dueAt.values()].map((at) => at - runtime.elapsed()),
    );
    await new Promise<void>((resolve) => {
      const cancel = runtime.timer(Math.max(0, waitMs), resolve);
      this.wake = () => {
        cancel();
        resolve();
      };
      if (shutdown.signal.aborted) this.wake();
      else shutdown.signal.addEventListener('abort', this.wake, { once: true });
    });
    shutdown.signal.removeEventListener('abort', this.wake);
  }
}
