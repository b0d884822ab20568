import { HeldBytes } from './held-bytes.js';
import { roughBytes } from './rough-bytes.js';
import type { Runtime } from './runtime.js';

/** Limit of values. The oldest are forgotten. */
const MOST = 2_000;

/**
 * A value is not found after ten minutes, and deleted when the next one is put: it may contain personal data, which retention redacts in the
 * store only. See `clear`.
 */
const FOR_MS = 10 * 60_000;

/** Bytes of one value: a larger one is not kept. */
const MOST_BYTES_OF_ONE = 64 * 1024;

interface Entry<T> {
  value: T;
  at: number;
  account: string;
  bytes: number;
}

/** The values that were put last, by name. */
export class Recent<T> {
  /** In the order in which they were put. */
  private readonly entries = new Map<string, Entry<T>>();
  private held = new HeldBytes();

  /** @param accountOf the account of a value. Absent for values that are small and of no account: they are counted only */
  constructor(
    private readonly runtime: Pick<Runtime, 'elapsed'>,
    private readonly accountOf?: (value: T) => string,
  ) {}

  get(name: string): T | null {
    const entry = this.entries.get(name);
    return entry && !this.isOld(entry) ? entry.value : null;
  }

  put(name: string, value: T): void {
    this.delete(name);
    const account = this.accountOf?.(value) ?? '';
    const bytes = name.length + (this.accountOf ? roughBytes(value, MOST_BYTES_OF_ONE) : 0);
    if (bytes > MOST_BYTES_OF_ONE) return;
    this.entries.set(name, { value, at: this.runtime.elapsed(), account, bytes });
    this.held.add(account, bytes);
    this.makeRoom();
    this.makeRoomWithin(account);
  }

  /** Whether it was there. */
  delete(name: string): boolean {
    const entry = this.entries.get(name);
    if (!entry) return false;
    this.held.remove(entry.account, entry.bytes);
    return this.entries.delete(name);
  }

  clear(): void {
    this.entries.clear();
    this.held = new HeldBytes();
  }

  private makeRoom(): void {
    for (const [oldest, entry] of this.entries) {
      const fits = this.entries.size <= MOST && !this.held.isOver;
      if (fits && !this.isOld(entry)) return;
      this.delete(oldest);
    }
  }

  private makeRoomWithin(account: string): void {
    if (!this.accountOf) return;
    for (const [oldest, entry] of this.entries) {
      if (!this.held.isOverOf(account)) return;
      if (entry.account === account) this.delete(oldest);
    }
  }

  private isOld({ at }: Pick<Entry<T>, 'at'>): boolean {
    return this.runtime.elapsed() - at > FOR_MS;
  }
}
