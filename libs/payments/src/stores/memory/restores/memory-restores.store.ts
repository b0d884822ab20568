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
import type { MemoryLostTimes, Restore } from './memory.lost-times.js';

const DAY_MS = 86_400_000;

export class MemoryRestoresStore extends RestoresStore {
  private readonly begun: Restore[] = [];

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
    const restore = { by, note: restoredTo(at), begunAt: now, lostFrom: this.lostFrom(at) };
    this.begun.push(restore);
    let operations = 0;
    for (const account of accounts) {
      operations += this.operations.of(account).doubtCreated(restore.note);
      await this.lose(account, restore);
    }
    return { accounts: accounts.length, operations, begunAt: new Date(now) };
  }

  /** An account that is new soon after a restore may have been added in the lost time. */
  async noteNew(account: string): Promise<void> {
    const note = 'the account is new after a restore of the database';
    for (const restore of this.begun) {
      if (restore.begunAt <= this.now() - RESTORE.newAccountsMs) continue;
      await this.sweeps.progress(account, new Date(restore.lostFrom));
      await this.lose(account, { ...restore, by: 'restore', note });
    }
  }

  /** A backup that was made later would know a later sweep. */
  private lostFrom(at: Date): number {
    const last = this.sweeps.lastWatermark();
    return last > at.getTime() - DAY_MS ? Math.min(at.getTime(), last) : at.getTime();
  }

  private async lose(account: string, restore: Restore): Promise<void> {
    this.lost.put(account, restore);
    this.sweeps.goBack(account, new Date(restore.lostFrom));
    this.traffic.enter('paused', account, restore.by, restore.note);
    if (this.plannedWork.waiting([account], 'sweep').length > 0)
      await this.plannedWork.replan(account, 'sweep', 0);
  }

  async find(account: string): Promise<LostTime[]> {
    return this.lost.find(account);
  }
}
