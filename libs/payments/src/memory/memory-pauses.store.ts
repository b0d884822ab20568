import { PausesStore, type Pause, type PauseEntry } from '../store/pauses.store.js';

export class MemoryPausesStore extends PausesStore {
  private readonly paused = new Map<string | null, Pause>();
  private entries: PauseEntry[] = [];

  constructor(private readonly now: () => number) {
    super();
  }

  /** Returns the pause of an account, or the pause of all accounts, without a wait. */
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

  async current(account: string): Promise<Pause | null> {
    return this.pausing(account);
  }

  async all(): Promise<Pause[]> {
    return [...this.paused.values()].toSorted((one, other) =>
      (one.account ?? '').localeCompare(other.account ?? ''),
    );
  }

  async history(account: string, limit: number): Promise<PauseEntry[]> {
    const of = this.entries.filter((entry) => entry.account === null || entry.account === account);
    return of.toReversed().slice(0, limit);
  }

  deleteOld(account: string, olderThanMs: number): void {
    const before = this.now() - olderThanMs;
    this.entries = this.entries.filter(
      (entry) =>
        entry.at.getTime() > before || (entry.account !== null && entry.account !== account),
    );
  }

  private enter(what: PauseEntry['what'], account: string | null, by: string, note: string): void {
    this.entries.push({ account, by, note, at: new Date(this.now()), what });
  }
}
