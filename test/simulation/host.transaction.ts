import type { HostTransaction } from '../../libs/payments/src/ledger/host-transaction.js';
import type { RecordResult } from '../../libs/payments/src/ledger/operations.store.js';
import type { NewPayment } from '../../libs/payments/src/operations/payments/payment.js';
import { MemoryStore } from '../../libs/payments/src/stores/memory/memory.store.js';
import type { World } from './simulated.world.js';

type Record = [
  NewPayment,
  { sendBeforeMs: number; dueInMs: number; transaction?: HostTransaction },
];

/** A database transaction of a host, as the model of hosts works with it. */
export interface SimulatedTransaction extends HostTransaction {
  readonly state: 'open' | 'committed' | 'rolled back' | 'refused';
  commit(world: World): Promise<boolean>;
  rollback(): void;
}

/**
 * A database transaction of a host. What is recorded in it becomes visible when it commits, and never when it is rolled
 * back. While it is open it holds up nobody else.
 */
export class HostTransactionModel implements SimulatedTransaction {
  state: 'open' | 'committed' | 'rolled back' | 'refused' = 'open';
  private recorded: { args: Record; at: number } | null = null;

  query(): Promise<unknown> {
    return Promise.reject(new Error('the memory store writes no SQL'));
  }

  /** Answers as the insert of an open transaction does. */
  async record(world: World, args: readonly unknown[]): Promise<RecordResult> {
    const [payment, options] = args as unknown as Record;
    const { transaction: _, ...rest } = options;
    const existing = await world.store.operations.findByIdempotencyKey(
      payment.account,
      payment.idempotencyKey,
    );
    if (existing) return { kind: 'existing', operation: existing };
    if (this.state !== 'open') throw new Error('the transaction has ended');
    this.recorded = { args: [payment, rest], at: world.scheduler.now };
    return new MemoryStore(() => world.scheduler.now).operations.record(payment, rest);
  }

  /** False when another payment has taken the key or the place meanwhile: the database refuses the commit then. */
  async commit(world: World): Promise<boolean> {
    this.state = 'committed';
    if (!this.recorded) return true;
    const { args, at } = this.recorded;
    const [payment, options] = args;
    const result = await world.store.operations.record(payment, {
      ...options,
      sendBeforeMs: options.sendBeforeMs - (world.scheduler.now - at),
    });
    if (result.kind !== 'recorded') this.state = 'refused';
    world.scheduler.changed();
    return result.kind === 'recorded';
  }

  rollback(): void {
    this.state = 'rolled back';
  }
}
