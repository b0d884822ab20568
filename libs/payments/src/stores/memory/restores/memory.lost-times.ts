import type { LostTime } from '../../../ledger/restores.store.js';
import { RESTORE } from '../../../runtime/backoff.js';

interface Lost extends LostTime {
  isSwept: boolean;
}

/** The times that accounts have lost. */
export class MemoryLostTimes {
  private readonly times = new Map<string, Lost>();

  constructor(private readonly now: () => number) {}

  find(account: string): LostTime | null {
    const lost = this.times.get(account);
    return lost && lost.to.getTime() > this.now() - RESTORE.remembersMs ? lost : null;
  }

  put(account: string, { from, to }: LostTime): void {
    const before = this.find(account)?.from ?? from;
    this.times.set(account, { from: before < from ? before : from, to, isSwept: false });
  }

  /** Whether the lost time was swept just now. */
  sweep(account: string, watermark: Date): boolean {
    const lost = this.times.get(account);
    if (!lost || lost.isSwept || watermark < lost.to) return false;
    lost.isSwept = true;
    return true;
  }
}
