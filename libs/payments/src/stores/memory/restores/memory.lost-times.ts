import type { LostTime } from '../../../ledger/restores.store.js';
import { RESTORE } from '../../../runtime/backoff.js';
import type { EndedRestores, Pause } from '../../../runtime/traffic.store.js';

/** A restore, as one account has it. Times are epoch milliseconds. */
export interface Restore {
  by: string;
  note: string;
  begunAt: number;
  lostFrom: number;
}

interface KnownRestore extends Restore {
  /** Nothing is sent until the lost time was swept. */
  isHeld: boolean;
  /** No payout and no refund is sent until a person resumes. */
  moneyOutHeld: boolean;
}

/** As in the database. */
const LATER_MS = 5_000;
const AGAIN_MS = 60_000;

/** The times that accounts have lost, and what is not sent meanwhile. */
export class MemoryLostTimes {
  private readonly restores = new Map<string, KnownRestore[]>();

  constructor(private readonly now: () => number) {}

  find(account: string): LostTime[] {
    const now = this.now();
    return this.of(account)
      .filter(({ begunAt }) => begunAt > now - RESTORE.remembersMs)
      .map(({ begunAt, lostFrom }) => ({
        fromAgoMs: now - lostFrom,
        toAgoMs: now - begunAt - RESTORE.followedMs,
      }));
  }

  put(account: string, restore: Restore): void {
    const known = { ...restore, isHeld: true, moneyOutHeld: true };
    this.restores.set(account, [...this.of(account), known]);
  }

  /** What holds up operations of a kind, first what holds up all. */
  pausing(account: string, kind?: string): Pause | null {
    const [first] = this.pausesOf(account).filter(
      ({ restore }) => restore === 'everything' || kind === 'payout' || kind === 'refund',
    );
    return first ?? null;
  }

  pauses(): Pause[] {
    return [...this.restores.keys()].flatMap((account) => this.pausesOf(account));
  }

  /**
   * Ends the pauses of what was swept.
   * @param watermark of the platform's clock, as is `now`
   * @returns who said that the last of them was restored; null when sending does not go on by that
   */
  sweep(account: string, watermark: Date, now: Date): string | null {
    const aheadMs = this.now() - now.getTime();
    const swept = this.of(account).filter(
      ({ isHeld, begunAt }) =>
        isHeld && watermark.getTime() + aheadMs >= begunAt + RESTORE.followedMs,
    );
    for (const restore of swept) restore.isHeld = false;
    const isOn = this.of(account).every(({ isHeld }) => !isHeld);
    return isOn ? (swept.at(-1)?.by ?? null) : null;
  }

  /**
   * When the next sweep can end the pause of a restore: when the lost time is over, a little later because clocks run differently; soon, when a sweep could
   * have ended it and did not. Infinity when there is no such pause.
   */
  sweepAt(account: string): number {
    const now = this.now();
    const times = this.of(account)
      .filter(({ isHeld }) => isHeld)
      .map(({ begunAt }) => begunAt + RESTORE.followedMs)
      .map((end) => (end > now ? end + LATER_MS : now + AGAIN_MS));
    return Math.min(...times);
  }

  /** @param account null: of all */
  resume(account: string | null, { what, seen }: EndedRestores): boolean {
    const concerned = account === null ? [...this.restores.values()].flat() : this.of(account);
    const held = what === 'money-out' ? 'moneyOutHeld' : 'isHeld';
    const paused = concerned.filter(
      (restore) => restore[held] && restore.begunAt <= seen.getTime(),
    );
    for (const restore of paused) restore[held] = false;
    return paused.length > 0;
  }

  private pausesOf(account: string): Pause[] {
    const held = this.of(account).filter(({ isHeld, moneyOutHeld }) => isHeld || moneyOutHeld);
    return held
      .toSorted((one, other) => Number(other.isHeld) - Number(one.isHeld))
      .map(({ isHeld, by, note, begunAt }) => ({
        account,
        restore: isHeld ? 'everything' : 'money-out',
        by,
        note,
        at: new Date(begunAt),
      }));
  }

  private of(account: string): KnownRestore[] {
    return this.restores.get(account) ?? [];
  }
}
