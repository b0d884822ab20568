import { Injectable } from '@nestjs/common';
import { OperationKinds, type ReviewTime } from '../ledger/operation.kind.js';
import type { Operation } from '../store/operation.js';
import { OperationsStore } from '../store/operations.store.js';
import { nextReadMs, SENDING } from '../work/backoff.js';
import { KnownAccounts } from '../work/known-accounts.js';
import { Runtime } from '../work/runtime.js';

/** When an open operation is due again, and when a person must review it. */
@Injectable()
export class OverdueSchedule {
  constructor(
    private readonly operationsStore: OperationsStore,
    private readonly kinds: OperationKinds,
    private readonly accounts: KnownAccounts,
    private readonly runtime: Runtime,
  ) {}

  isOverdue(operation: Operation): boolean {
    return operation.ageMs > this.reviewTime(operation).afterMs;
  }

  reviewTime(operation: Operation): ReviewTime {
    return this.kinds.of(operation).reviewTime(operation, this.accounts.of(operation.account));
  }

  at(operation: Operation, inMs: number): Promise<void> {
    return this.operationsStore.schedule(operation, { inMs });
  }

  /** @param untilMs milliseconds after which it is worth a read in any case */
  async next(operation: Operation, untilMs: number): Promise<void> {
    const checks = operation.checks + 1;
    const { scheduleMs } = this.accounts.of(operation.account).reconciliation;
    const readMs = nextReadMs(scheduleMs, checks, this.runtime);
    const inMs = Math.min(readMs, untilMs, this.untilReviewMs(operation));
    await this.operationsStore.schedule(operation, { inMs, checks });
  }

  /** Soon again, because something failed. @param claimed the operation as it was before */
  async retry(current: Operation, claimed: Operation, inMs: number): Promise<void> {
    const jitteredMs = inMs * (1 + this.runtime.random() * 0.2);
    await this.at(current, Math.min(jitteredMs, this.untilReviewMs(claimed)));
  }

  /** What was not sent is tried again if that is the work of this process, and fails when its time is over. */
  async sendAgain(operation: Operation): Promise<void> {
    const againMs = operation.inBackground
      ? this.runtime.jittered(SENDING.holdsOthersMs)
      : Number.POSITIVE_INFINITY;
    await this.at(operation, Math.min(againMs, operation.sendWithinMs + 1));
  }

  private untilReviewMs(operation: Operation): number {
    return Math.max(0, this.reviewTime(operation).afterMs - operation.ageMs) + 1;
  }
}
