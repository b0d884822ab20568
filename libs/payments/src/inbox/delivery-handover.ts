import { Injectable } from '@nestjs/common';
import { KnownRecords } from '../ledger/known-records.js';
import type { DeliveryKind, NewDelivery } from '../store/new-delivery.js';
import { DELIVERY_WORK, TILL_MONEY } from '../work/backoff.js';
import { Runtime } from '../work/runtime.js';
import { ShutdownSignal } from '../work/shutdown-signal.js';
import type { Message } from './delivery-parser.js';
import { DeliveryProcessor, type DeliveryTask } from './delivery-processor.js';
import { ImmediateChangesService } from './immediate-changes.service.js';

/**
 * Hands deliveries that this process stores to its own processor, which needs no query to claim them. A webhook that comes before the
 * result of its payment waits here for it, because after it, no read is needed.
 */
@Injectable()
export class DeliveryHandover {
  /** Deliveries of each kind that this process stores now, or that wait here for their payment. */
  private readonly reserved: Record<DeliveryKind, number> = { callback: 0, webhook: 0 };
  /** Ends the waits for a payment. */
  private readonly waits = new Set<() => void>();

  constructor(
    private readonly processor: DeliveryProcessor,
    private readonly immediateChanges: ImmediateChangesService,
    private readonly records: KnownRecords,
    private readonly shutdown: ShutdownSignal,
    private readonly runtime: Runtime,
  ) {
    // The signal comes before the processor stops, so that it still processes what waits here.
    const endAll = (): void => this.waits.forEach((end) => end());
    this.shutdown.signal.addEventListener('abort', endAll, { once: true });
  }

  /** The lease of a delivery that is stored now, if this process has room to process it; then `release` must follow. */
  reserve(delivery: NewDelivery): number | undefined {
    const { kind } = delivery;
    const room = this.processor.roomFor(kind) - this.reserved[kind];
    if (!this.processor.isWorkingFor(delivery) || room <= 0) return undefined;
    this.reserved[kind] += 1;
    return DELIVERY_WORK.leaseMs;
  }

  release({ kind }: NewDelivery): void {
    this.reserved[kind] -= 1;
  }

  /** Has a delivery processed that this process has stored and claimed. */
  take(
    delivery: NewDelivery,
    message: Message,
    { token, receivedAt }: { token: string; receivedAt: Date },
  ): void {
    const counts = { attempts: 1, duplicates: 0, ageMs: 0, lastError: null };
    const claimed = { ...delivery, ...counts, token, receivedAt, state: 'pending' } as const;
    const task = { account: delivery.account, delivery: claimed, message };
    this.takeInTime(task, this.runtime.elapsed());
  }

  private takeInTime({ account, delivery, message }: DeliveryTask, storedAt: number): void {
    const ageMs = this.runtime.elapsed() - storedAt;
    const leftMs = TILL_MONEY.retryAtMs[0] - ageMs;
    const mayWait = leftMs > 0 && !this.shutdown.signal.aborted;
    const expected = mayWait ? this.immediateChanges.expectedBy(delivery, message) : undefined;
    if (!expected) {
      this.processor.take({ account, delivery: { ...delivery, ageMs }, message });
      return;
    }
    const { kind } = delivery;
    this.reserved[kind] += 1;
    const end = (): void => {
      this.waits.delete(end);
      cancelTimer();
      cancelWait();
      this.reserved[kind] -= 1;
      this.takeInTime({ account, delivery, message }, storedAt);
    };
    const cancelTimer = this.runtime.timer(leftMs, end, { background: true });
    const cancelWait = this.records.afterChange(expected, end);
    this.waits.add(end);
  }
}
