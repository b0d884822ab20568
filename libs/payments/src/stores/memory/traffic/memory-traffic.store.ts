import { NEVER } from 'rxjs';
import {
  TrafficStore,
  type Hindrance,
  type Pause,
  type PauseEntry,
  type ReservedTurns,
  type TrafficKind,
  type WantedTurns,
} from '../../../runtime/traffic.store.js';
import { PerAccount } from '../../../runtime/per-account.js';

/** As in the database. */
const FAR_MS = 100;

/** The turns of one account, in epoch milliseconds. */
interface Turns {
  next: number;
  nextOf: Map<string, number>;
  closedUntil: Record<TrafficKind, number>;
}

export class MemoryTrafficStore extends TrafficStore {
  private readonly paused = new Map<string | null, Pause>();
  private entries: PauseEntry[] = [];
  private readonly turns = new PerAccount<Turns>(
    () => ({
      next: 0,
      nextOf: new Map(),
      closedUntil: { creates: 0, others: 0 },
    }),
    NEVER,
  );

  constructor(private readonly now: () => number) {
    super();
  }

  /** Whether operations may be sent now. */
  maySend(account: string): boolean {
    return !this.pausing(account) && !this.isClosed(account);
  }

  /** Whether the platform wants no requests that move money now. */
  isClosed(account: string): boolean {
    return this.closedForMs(account, 'creates') > 0;
  }

  pausing(account: string): Pause | null {
    return this.paused.get(account) ?? this.paused.get(null) ?? null;
  }

  async pause(account: string | null, by: string, note: string): Promise<boolean> {
    if (this.paused.has(account)) return false;
    this.paused.set(account, { account, by, note, at: new Date(this.now()) });
    this.enter('paused', account, by, note);
    return true;
  }

  async resume(account: string | null, by: string, note: string): Promise<boolean> {
    if (!this.paused.delete(account)) return false;
    this.enter('resumed', account, by, note);
    return true;
  }

  async hindrance(account: string): Promise<Hindrance> {
    const closedForMs = {
      creates: this.closedForMs(account, 'creates'),
      others: this.closedForMs(account, 'others'),
    };
    return { pause: this.pausing(account), closedForMs };
  }

  async pauses(): Promise<Pause[]> {
    return [...this.paused.values()].toSorted((one, other) =>
      (one.account ?? '').localeCompare(other.account ?? ''),
    );
  }

  deleteOld(account: string, olderThanMs: number): void {
    const before = this.now() - olderThanMs;
    this.entries = this.entries.filter(
      (entry) =>
        entry.at.getTime() > before || (entry.account !== null && entry.account !== account),
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

  private enter(what: PauseEntry['what'], account: string | null, by: string, note: string): void {
    this.entries.push({ account, by, note, at: new Date(this.now()), what });
  }

  private closedForMs(account: string, kind: TrafficKind): number {
    return Math.max(0, this.turns.of(account).closedUntil[kind] - this.now());
  }
}
