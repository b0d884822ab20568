import {
  restoredTo,
  RestoresStore,
  type LostTime,
  type RestoreResult,
} from '../../../ledger/restores.store.js';
import { RESTORE } from '../../../runtime/backoff.js';
import type { MemoryAccountsStore } from '../accounts/memory-accounts.store.js';
import type { MemoryOperationsStore } from '../operations/memory-operations.store.js';
import type { MemoryPlannedWorkStore } from '../planned-work/memory-planned-work.store.js';
import type { MemorySweepsStore } from '../sweeps/memory-sweeps.store.js';
import type { MemoryTrafficStore } from '../traffic/memory-traffic.store.js';
import type { MemoryLostTimes } from './memory.lost-times.js';

export class MemoryRestoresStore extends RestoresStore {
  private last: (LostTime & { by: string; at: number }) | null = null;

  constructor(
    private readonly lost: MemoryLostTimes,
    private readonly accounts: MemoryAccountsStore,
    private readonly operations: MemoryOperationsStore,
    private readonly plannedWork: MemoryPlannedWorkStore,
    private readonly sweeps: MemorySweepsStore,
    private readonly traffic: MemoryTrafficStore,
    private readonly now: () => number,
  ) {
    super();
  }

  async begin(at: Date, by: string): Promise<RestoreResult> {
    const accounts = this.accounts.names();
    const now = this.now();
    const last = { from: at, to: new Date(now + RESTORE.followedMs), by, at: now };
    this.last = last;
    let operations = 0;
    for (const account of accounts) {
      operations += this.operations.of(account).doubtCreated(restoredTo(at));
      await this.lose(account, last, by, restoredTo(at));
    }
    return { accounts: accounts.length, operations };
  }

  /** An account that is new soon after a restore may have been added in the lost time. */
  async noteNew(account: string): Promise<void> {
    const { last } = this;
    if (!last || last.at <= this.now() - RESTORE.newAccountsMs) return;
    await this.sweeps.progress(account, last.from);
    await this.lose(account, last, 'restore', 'the account is new after a restore of the database');
  }

  private async lose(account: string, lost: LostTime, by: string, note: string): Promise<void> {
    this.lost.put(account, lost);
    this.sweeps.goBack(account, lost.from);
    await this.traffic.pauseUntilSwept(account, by, note);
    if (this.plannedWork.waiting([account], 'sweep').length > 0)
      await this.plannedWork.replan(account, 'sweep', 0);
  }

  async find(account: string): Promise<LostTime | null> {
    return this.lost.find(account);
  }
}
