import { StoreUnavailableError } from '@tillkit/payments/internal/store';
import { blamesAValue } from './postgres.errors.js';

export interface GroupCommitOptions<Item, Result> {
  /**
   * Writes all items in one commit and returns a result for each, in their order. A result may be a promise: then the group
   * ends without that item, and only the caller of that item waits for it.
   */
  commit(items: readonly Item[]): Promise<readonly (Result | Promise<Result>)[]>;
  maxRows: number;
  /**
   * At most this many groups are written at the same time. A further group begins only when it is half full, or when the group before it
   * takes long, because few large groups cost less than many small ones.
   */
  inFlight: number;
  /** True when nobody waits for the result. Then items gather even while nothing is written. */
  isUnhurried?: boolean;
  /** At most this many items wait for a group. More are refused. */
  maxQueued: number;
  /** An item may wait this many milliseconds for its group to begin. */
  timeoutMs: number;
  /** Limits in bytes, for items that have a size. */
  bytes?: { of(item: Item): number; maxGroup: number; maxQueued: number };
}

/** The limits on the number of items that wait for a group, and on the time that they wait. */
export type GroupLimits = Pick<GroupCommitOptions<never, never>, 'maxQueued' | 'timeoutMs'>;

/** At most this many writes of one kind wait for a commit. */
export const MOST_WAITING = 10_000;

/** The limits on the bytes of bodies in one commit, and on those that wait. A single larger body is stored alone. */
export const BODY_BYTES = { maxGroup: 4 * 2 ** 20, maxQueued: 64 * 2 ** 20 } as const;

interface Waiting<Item, Result> {
  item: Item;
  bytes: number;
  since: number;
  resolve: (result: Result | Promise<Result>) => void;
  reject: (error: Error) => void;
}

/** A group that is being written delays the next one for this time, and unhurried items wait this long for others. */
const GATHER_MS = 20;

/**
 * Group commit: items that arrive in one turn of the event loop, or while other groups are written, share one commit. While nothing is
 * written, an item does not wait, unless it is unhurried. Groups grow with the load. Each caller gets the result of its own item after the
 * commit.
 */
export class GroupCommit<Item, Result> {
  private readonly queue: Waiting<Item, Result>[] = [];
  private readonly running = new Set<Promise<void>>();
  private queuedBytes = 0;
  private timer: NodeJS.Timeout | undefined;
  private patience: NodeJS.Timeout | undefined;
  private turn: NodeJS.Immediate | undefined;
  private isDraining = false;

  constructor(private readonly options: GroupCommitOptions<Item, Result>) {}

  add(item: Item): Promise<Result> {
    const { maxQueued, bytes } = this.options;
    const size = bytes?.of(item) ?? 0;
    if (
      this.queue.length >= maxQueued ||
      (bytes && this.queue.length > 0 && this.queuedBytes + size > bytes.maxQueued)
    ) {
      return Promise.reject(
        neverWritten(`${this.queue.length} writes are waiting, which is the limit`),
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

  /** Resolves when all items have a result. */
  async drain(): Promise<void> {
    this.isDraining = true;
    this.next();
    while (this.running.size > 0) await Promise.all(this.running);
    this.isDraining = false;
  }

  private next(): void {
    while (this.mayBegin()) {
      const group = this.nextGroup();
      const run = this.write(group).finally(() => {
        this.running.delete(run);
        this.next();
      });
      this.running.add(run);
    }
    if (this.queue.length > 0) this.watch();
  }

  private mayBegin(): boolean {
    const { inFlight, isUnhurried = false, maxRows, timeoutMs } = this.options;
    const [oldest] = this.queue;
    if (!oldest || this.running.size >= inFlight) return false;
    const isFree = this.running.size === 0 && (!isUnhurried || this.isDraining);
    if (isFree || this.queue.length * 2 >= maxRows) return true;
    const waitMs = Math.min(GATHER_MS, timeoutMs / 2) - (performance.now() - oldest.since);
    if (waitMs <= 0) return true;
    this.patience ??= setTimeout(() => {
      this.patience = undefined;
      this.next();
    }, waitMs);
    return false;
  }

  private nextGroup(): Waiting<Item, Result>[] {
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

  /** One invalid item fails the whole statement. Then we halve the group until that item is alone. */
  private async write(group: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.options.commit(group.map(({ item }) => item));
      group.forEach(({ resolve }, index) => resolve(results[index] as Result | Promise<Result>));
    } catch (error) {
      if (group.length > 1 && blamesAValue(error)) {
        const half = Math.ceil(group.length / 2);
        await this.write(group.slice(0, half));
        await this.write(group.slice(half));
      } else {
        for (const { reject } of group) reject(error as Error);
      }
    }
  }

  /** Refuses items that have waited for longer than `timeoutMs` because the groups before them hang. */
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
          reject(neverWritten(`it did not write for ${timeoutMs} ms`));
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

function neverWritten(why: string): StoreUnavailableError {
  return new StoreUnavailableError(why, { changedNothing: true });
}
