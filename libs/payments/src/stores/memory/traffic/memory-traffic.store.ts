import { NEVER } from 'rxjs';
import {
  RESTORE_PAUSES,
  TrafficStore,
  type EndedRestores,
  type Hindrance,
  type Pause,
  type PauseEntry,
  type ReservedTurns,
  type TrafficKind,
  type WantedTurns,
} from '../../../runtime/traffic.store.js';
import { PerAccount } from '../../../runtime/per-account.js';
import type { MemoryLostTimes } from '../restores/memory.lost-times.js';

/** As in the database. */
const FAR_MS = 100;

/** The order of an account's pauses. */
const PLACES: readonly Pause['restore'][] = [null, ...RESTORE_PAUSES];

/** The turns of one account, in epoch milliseconds. */
interface Turns {
  next: number;
  nextOf: Map<string, number>;
  closedUntil: Record<TrafficKind, number>;
}

export class MemoryTrafficStore extends TrafficStore {
  private readonly paused = new Map<string | null, Pause>();
  private readonly entries: PauseEntry[] = [];
  private readonly turns = new PerAccount<Turns>(
    () => ({
      next: 0,
      nextOf: new Map(),
      closedUntil: { creates: 0, others: 0 },
    }),
    NEVER,
  );

  constructor(
    private readonly lost: MemoryLostTimes,
    private readonly now: () => number,
  ) {
    super();
  }

  /** Whether operations of a kind may be sent now. */
  maySend(account: string, kind: string): boolean {
    return !this.pausing(account, kind) && !this.isClosed(account);
  }

  /** Whether the platform wants no requests that move money now. */
  isClosed(account: string): boolean {
    return this.closedForMs(account, 'creates') > 0;
  }

  pausing(account: string, kind?: string): Pause | null {
    return this.paused.get(account) ?? this.paused.get(null) ?? this.lost.pausing(account, kind);
  }

  async pause(account: string | null, by: string, note: string): Promise<boolean> {
    if (this.paused.has(account)) return false;
    this.paused.set(account, { account, restore: null, by, note, at: new Date(this.now()) });
    this.enter('paused', account, by, note);
    return true;
  }

  async resume(
    account: string | null,
    by: string,
    note: string,
    restores: EndedRestores | null = null,
  ): Promise<boolean> {
    const hasEnded =
      restores === null ? this.paused.delete(account) : this.lost.resume(account, restores);
    if (!hasEnded) return false;
    this.enter('resumed', account, by, note);
    return true;
  }

  /** Adds an entry to the history of pauses. */
  enter(what: PauseEntry['what'], account: string | null, by: string, note: string): void {
    this.entries.push({ account, by, note, at: new Date(this.now()), what });
  }

  async hindrance(account: string, kind?: string): Promise<Hindrance> {
    const closedForMs = {
      creates: this.closedForMs(account, 'creates'),
      others: this.closedForMs(account, 'others'),
    };
    return { pause: this.pausing(account, kind), closedForMs };
  }

  async pauses(): Promise<Pause[]> {
    return [...this.paused.values(), ...this.lost.pauses()].toSorted(
      (one, other) =>
        (one.account ?? '').localeCompare(other.account ?? '') ||
        PLACES.indexOf(one.restore) - PLACES.indexOf(other.restore),
    );
  }

  async pauseHistory(account: string, limit: number): Promise<PauseEntry[]> {
    const of = this.entries.filter((entry) => entry.account === null || entry.account === account);
    return of.toReversed().slice(0, limit);
  }

  async reserve(
    account: string,
    { kind, count, gapMs, kindGapMs, withinMs }: WantedTurns,
  ): Promise<ReservedTurns> {
    const turns = this.turns.of(account);
    const now = this.now();
    const closedMs = this.closedForMs(account, 'others');
    if (closedMs > 0) return { count: 0, inMs: closedMs, mayAskAgain: false };
    const ofKind = turns.nextOf.get(kind) ?? 0;
    const start = Math.max(now, turns.next, ofKind);
    // The platform may ask to wait before a turn that is far away, and other kinds need the turns before it.
    if (start > now + FAR_MS)
      return { count: 0, inMs: start - now, mayAskAgain: start - now <= withinMs };
    turns.next = start + count * gapMs;
    turns.nextOf.set(kind, start + count * kindGapMs);
    return { count, inMs: start - now, mayAskAgain: false };
  }

  async close(account: string, kind: TrafficKind, forMs: number): Promise<void> {
    const { closedUntil } = this.turns.of(account);
    closedUntil[kind] = Math.max(closedUntil[kind], this.now() + forMs);
  }

  private closedForMs(account: string, kind: TrafficKind): number {
    return Math.max(0, this.turns.of(account).closedUntil[kind] - this.now());
  }
}
