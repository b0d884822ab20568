import { StoreUnavailableError } from '@tillkit/payments/store';
import { blamesAValue } from './postgres.errors.js';

export interface GroupCommitOptions<Item, Result> {
  /**
   * Makes all of them durable in one commit; a result for each, in their order. A promise for one that is not done yet and
   * that nobody else has to wait for: the group has ended without it.
   */
  commit(items: readonly Item[]): Promise<readonly (Result | Promise<Result>)[]>;
  maxRows: number;
  /** Groups under way at once. */
  inFlight: number;
  maxQueued: number;
  /** Milliseconds an item may wait for its group to begin. */
  timeoutMs: number;
  /** Limits by size, where items have one. */
  bytes?: { of(item: Item): number; maxGroup: number; maxQueued: number };
}

interface Waiting<Item, Result> {
  item: Item;
  bytes: number;
  since: number;
  resolve: (result: Result | Promise<Result>) => void;
  reject: (error: Error) => void;
}

/**
 * What is asked for at the same time is committed together: what arrives in one turn of the event loop, and what arrives
 * while groups are under way. Nothing waits for a timer, and the busier it is the larger the groups. Each caller hears
 * only of its own item, and only when that is durable.
 */
export class GroupCommit<Item, Result> {
  private readonly queue: Waiting<Item, Result>[] = [];
  private readonly running = new Set<Promise<void>>();
  private queuedBytes = 0;
  private timer: NodeJS.Timeout | undefined;
  private turn: NodeJS.Immediate | undefined;

  constructor(private readonly options: GroupCommitOptions<Item, Result>) {}

  add(item: Item): Promise<Result> {
    const { maxQueued, bytes } = this.options;
    const size = bytes?.of(item) ?? 0;
    if (
      this.queue.length >= maxQueued ||
      (bytes && this.queue.length > 0 && this.queuedBytes + size > bytes.maxQueued)
    ) {
      return Promise.reject(
        new StoreUnavailableError(
          `${this.queue.length} are waiting to be written, which is the limit`,
        ),
      );
    }
    return new Promise((resolve, reject) => {
      this.queue.push({ item, bytes: size, since: performance.now(), resolve, reject });
      this.queuedBytes += size;
      this.turn ??= setImmediate(() => {
        this.turn = undefined;
        this.next();
      });
    });
  }

  /** Resolves when everything that was asked for has ended. */
  async drain(): Promise<void> {
    this.next();
    while (this.running.size > 0) await Promise.all(this.running);
  }

  private next(): void {
    while (this.queue.length > 0 && this.running.size < this.options.inFlight) {
      const group = this.take();
      const run = this.settle(group).finally(() => {
        this.running.delete(run);
        this.next();
      });
      this.running.add(run);
    }
    if (this.queue.length > 0) this.watch();
  }

  private take(): Waiting<Item, Result>[] {
    const { maxRows, bytes } = this.options;
    let size = 0;
    let count = 0;
    for (const waiting of this.queue) {
      size += waiting.bytes;
      if (count >= maxRows || (bytes && count > 0 && size > bytes.maxGroup)) break;
      count += 1;
    }
    return this.remove(count);
  }

  /** One bad row fails its whole statement: the group is halved until that row is alone. */
  private async settle(group: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.options.commit(group.map(({ item }) => item));
      group.forEach(({ resolve }, index) => resolve(results[index] as Result | Promise<Result>));
    } catch (error) {
      if (group.length > 1 && blamesAValue(error)) {
        const half = Math.ceil(group.length / 2);
        await this.settle(group.slice(0, half));
        await this.settle(group.slice(half));
      } else {
        for (const { reject } of group) reject(error as Error);
      }
    }
  }

  /** Groups that hang keep everything behind them waiting: nobody waits longer than was agreed. */
  private watch(): void {
    const [oldest] = this.queue;
    if (this.timer || !oldest) return;
    const { timeoutMs } = this.options;
    this.timer = setTimeout(
      () => {
        this.timer = undefined;
        const now = performance.now();
        const late = this.queue.findIndex(({ since }) => now - since < timeoutMs);
        for (const { reject } of this.remove(late === -1 ? this.queue.length : late)) {
          reject(new StoreUnavailableError(`it did not write for ${timeoutMs} ms`));
        }
        this.watch();
      },
      Math.max(1, timeoutMs - (performance.now() - oldest.since)),
    );
    this.timer.unref();
  }

  private remove(count: number): Waiting<Item, Result>[] {
    const removed = this.queue.splice(0, count);
    for (const { bytes } of removed) this.queuedBytes -= bytes;
    return removed;
  }
}
