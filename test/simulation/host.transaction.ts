import type { HostTransaction } from '../../libs/payments/src/store/host-transaction.js';
import type { RecordResult } from '../../libs/payments/src/store/operations.store.js';
import type { NewPayment } from '../../libs/payments/src/operations/payments/payment.js';
import { MemoryStore } from '../../libs/payments/src/memory/memory.store.js';
import type { Simulation } from './history.simulation.js';

type Record = [
  NewPayment,
  { sendBeforeMs: number; dueInMs: number; transaction?: HostTransaction },
];

export interface SimulatedTransaction {
  query(text: string, values: unknown[]): Promise<unknown>;
  readonly state: 'open' | 'committed' | 'rolled back' | 'refused';
  commit(simulation: Simulation): Promise<boolean>;
  rollback(): void;
}

/**
 * A host transaction on the memory store. A payment that is recorded in it becomes visible at the commit, and never after a
 * rollback. An open one blocks nobody.
 */
export class HostTransactionModel implements SimulatedTransaction {
  state: 'open' | 'committed' | 'rolled back' | 'refused' = 'open';
  private recorded: { args: Record; at: number } | null = null;

  query(): Promise<unknown> {
    return Promise.reject(new Error('the memory store runs no SQL'));
  }

  /** Resolves as the insert in an open transaction does. */
  async record(simulation: Simulation, args: readonly unknown[]): Promise<RecordResult> {
    const [payment, options] = args as unknown as Record;
    const { transaction: _, ...rest } = options;
    const existing = await simulation.processes.store.operations.findByIdempotencyKey(
      payment.account,
      payment.kind,
      payment.idempotencyKey,
    );
    if (existing) return { kind: 'existing', operation: existing };
    if (this.state !== 'open') throw new Error('the transaction has ended');
    this.recorded = { args: [payment, rest], at: simulation.scheduler.now };
    return new MemoryStore(() => simulation.scheduler.now).operations.record(payment, rest);
  }

  /** False when another payment with the same key, or in flight, was recorded meanwhile: the database refuses the commit. */
  async commit(simulation: Simulation): Promise<boolean> {
    this.state = 'committed';
    if (!this.recorded) return true;
    const { args, at } = this.recorded;
    const [payment, options] = args;
    const result = await simulation.processes.store.operations.record(payment, {
      ...options,
      sendBeforeMs: options.sendBeforeMs - (simulation.scheduler.now - at),
    });
    if (result.kind !== 'recorded') this.state = 'refused';
    simulation.scheduler.changed();
    return result.kind === 'recorded';
  }

  rollback(): void {
    this.state = 'rolled back';
  }
}
