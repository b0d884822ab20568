import type { LedgerChange } from '../../libs/payments/src/store/ledger.store.js';
import type {
  RecordOptions,
  RecordResult,
} from '../../libs/payments/src/store/operations.store.js';
import type { OperationRecord } from '../../libs/payments/src/operations/operation-forms.js';
import type { Processes } from './history.processes.js';
import type { Simulation } from './history.simulation.js';
import { mayBeRequested, pauseEntriesIn } from './memory-store.inspection.js';
import { changeIn } from './store.observer.js';

/** A pause or a resumption in the store. */
export interface PauseMark {
  /** Null means all accounts. */
  account: string | null;
  what: 'paused' | 'resumed';
  at: number;
}

interface Period {
  account: string | null;
  from: number;
  /** Infinity means that it is paused now. */
  to: number;
}

const OPEN = new Set(['created', 'requested', 'pending', 'unknown']);

/**
 * Checks that nothing is recorded or sent while sending is paused, and that an account waits for its own pauses only.
 */
export class Pauses {
  private periods: readonly Period[] = [];
  private known = 0;

  constructor(private readonly processes: Processes) {}

  /** True when the store has a pause of an account, or of all (null), now. */
  isStored(account: string | null): boolean {
    return this.periods.some((period) => period.account === account && period.to === Infinity);
  }

  /** True when sending was paused for an account at some time between two others, both included. */
  overlaps(account: string, from: number, to: number): boolean {
    return this.of(account).some((period) => period.from <= to && period.to >= from);
  }

  /** Takes all pauses and resumptions that the store has, oldest first. */
  note(entries: readonly PauseMark[]): void {
    if (entries.length === this.known) return;
    const periods: Period[] = [];
    for (const { account, what, at } of entries) {
      if (what === 'paused') periods.push({ account, from: at, to: Infinity });
      const paused = periods.findLast((period) => period.account === account);
      if (what === 'resumed' && paused) paused.to = at;
    }
    this.periods = periods;
    for (const { account, what } of entries.slice(this.known)) this.reached(account, what);
    this.known = entries.length;
  }

  /** The simulation calls this when a call of any store took effect. */
  stored(method: string, args: readonly unknown[], result: unknown): void {
    const { processes } = this;
    const { store, backend } = processes;
    if (backend) return;
    if (method === 'pauses.pause' || method === 'pauses.resume') this.note(pauseEntriesIn(store));
    if (method === 'operations.record')
      this.recorded(args as [OperationRecord, RecordOptions], result as RecordResult);
    const change = changeIn(method, args);
    if (method === 'ledger.commit' && change?.operation?.set.state === 'requested' && !result)
      this.refused(change);
  }

  /** The simulation calls this when an operation was recorded or has changed. */
  changed(world: Simulation, before: OperationRecord | null, record: OperationRecord): void {
    const { account, kind, idempotencyKey: key, createdAt, updatedAt, state } = record;
    if (!before && this.isDuring(account, createdAt.getTime()))
      world.violate('recorded during a pause', `${kind} ${key} was recorded`);
    const isRequested = before?.state === 'created' && state === 'requested';
    if (isRequested && this.isDuring(account, updatedAt.getTime()))
      world.violate('sent during a pause', `${kind} ${key} was recorded as requested`);
  }

  /** The simulation calls this when a process sends a create for which no operation was recorded. @param begunAt the time of the host's request */
  bareSent(world: Simulation, key: string, begunAt: number): void {
    if (this.isDuring(world.account, begunAt) && this.isPaused(world.account))
      world.violate('sent during a pause', `the bare request ${key} was sent`);
  }

  /** True when a time is inside a pause, without its ends. */
  private isDuring(account: string, at: number): boolean {
    return this.of(account).some(({ from, to }) => from < at && at < to);
  }

  private isPaused(account: string): boolean {
    return this.of(account).some(({ to }) => to === Infinity);
  }

  /** An account that is not paused records operations. */
  private recorded(
    [{ account, idempotencyKey: key }, { transaction }]: [OperationRecord, RecordOptions],
    result: RecordResult,
  ): void {
    if (!transaction && result.kind === 'paused' && !this.isPaused(account))
      this.waits(account, `${key} is ${result.kind}`);
  }

  private refused({ account, operation }: LedgerChange): void {
    if (this.isPaused(account) || !operation) return;
    const { store, scheduler } = this.processes;
    if (mayBeRequested(store, account, operation, scheduler.now))
      this.waits(account, `${operation.id} may not be requested`);
  }

  private waits(account: string, what: string): void {
    this.processes.violate('waits for another account', `${what}, but ${account} is not paused`);
  }

  private of(account: string): Period[] {
    return this.periods.filter((period) => period.account === account || period.account === null);
  }

  private reached(account: string | null, what: 'paused' | 'resumed'): void {
    const { processes } = this;
    processes.reached(`${account === null ? 'all accounts' : 'one account'} ${what}`);
    const paused = processes.worlds.filter(
      (world) => account === null || world.account === account,
    );
    const isOpen = paused.some(({ observer }) =>
      [...observer.operations.values()].some(({ record }) => record && OPEN.has(record.state)),
    );
    if (what === 'paused' && isOpen) processes.reached('pause while operations are open');
  }
}
