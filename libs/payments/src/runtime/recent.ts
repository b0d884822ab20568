import type { Runtime } from './clock.js';

/** Bytes of the bodies, or of the payloads, that are worked on at the same time: of all accounts, and of each. */
export const MOST_HELD_BYTES = 16 * 1024 * 1024;
const MOST_HELD_BYTES_OF_ACCOUNT = 8 * 1024 * 1024;

/** The limit of values. The oldest are deleted. */
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
  /** The values are in the order in which they were put. */
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

  /** Returns true when the value was there. */
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

/** One value (a field, an item or an object) costs so many bytes beside its text. */
const OF_EACH = 32;

/** Deeper values are not looked at: no message that is understood has them. */
const MOST_LEVELS = 80;

/**
 * Returns about how many bytes a value takes. It looks at no more than `most` bytes of it, so that it never takes long.
 * @returns more than `most` for a value that takes more, or that is nested deeper than anything that we keep
 */
export function roughBytes(value: unknown, most: number): number {
  return most - left(value, most, MOST_LEVELS);
}

/** Returns how many of some bytes are left without a value; negative when the value takes more. */
function left(value: unknown, bytes: number, levels: number): number {
  if (typeof value === 'string') return bytes - OF_EACH - value.length;
  if (typeof value !== 'object' || value === null) return bytes - OF_EACH;
  if (levels === 0) return -1;
  let rest = bytes - OF_EACH;
  for (const name in value) {
    if (rest < 0) return rest;
    rest = left((value as Record<string, unknown>)[name], rest - name.length, levels - 1);
  }
  return rest;
}

/** Each smaller piece lowers the size that a large one counts as to this share: after fifty of them, to half a per cent. */
const KEPT_SHARE = 0.9;

/** The memory that something may hold: of all accounts together, and of each of them, so that one leaves room for the others. */
export class HeldBytes {
  private held = 0;
  private largest = 1;
  private readonly heldOf = new Map<string, number>();

  /** True when all accounts together hold more than they may. */
  get isOver(): boolean {
    return this.held > MOST_HELD_BYTES;
  }

  isOverOf(account: string): boolean {
    return (this.heldOf.get(account) ?? 0) > MOST_HELD_BYTES_OF_ACCOUNT;
  }

  /**
   * True when so many bytes more fit in. A piece of an account that holds nothing fits whatever its size is: else a large piece would never
   * be done.
   */
  fits(account: string, bytes: number): boolean {
    const ofAccount = this.heldOf.get(account) ?? 0;
    if (ofAccount === 0) return this.held <= MOST_HELD_BYTES;
    return this.held + bytes <= MOST_HELD_BYTES && ofAccount + bytes <= MOST_HELD_BYTES_OF_ACCOUNT;
  }

  /** So many pieces more may be claimed, if they are as large as the last large ones. */
  get pieces(): number {
    const room = MOST_HELD_BYTES - this.held;
    return room <= 0 ? 0 : Math.max(1, Math.floor(room / this.largest));
  }

  /** Notes the size of a piece that waits or comes. */
  note(bytes: number): void {
    this.largest = Math.max(bytes, this.largest * KEPT_SHARE, 1);
  }

  add(account: string, bytes: number): void {
    this.note(bytes);
    this.held += bytes;
    this.heldOf.set(account, (this.heldOf.get(account) ?? 0) + bytes);
  }

  remove(account: string, bytes: number): void {
    this.held -= bytes;
    const left = (this.heldOf.get(account) ?? 0) - bytes;
    if (left > 0) this.heldOf.set(account, left);
    else this.heldOf.delete(account);
  }
}
