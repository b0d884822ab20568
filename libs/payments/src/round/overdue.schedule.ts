import { Injectable } from '@nestjs/common';
import { OperationKinds, type ReviewTime } from '../ledger/operation.kind.js';
import type { Operation } from '../store/operation.js';
import { OperationsStore } from '../store/operations.store.js';
import { nextReadMs, OVERDUE_WORK, SENDING } from '../work/backoff.js';
import { PlatformClocks } from '../work/platform-clock.js';
import { hasPlatformId } from '../ledger/operation.reader.js';
import { sentForMs } from '../ledger/operation-states.js';
import { isPayment } from '../operations/payments/payment.js';
import { windowIsWholeAt } from '../tills/match-window.js';
import { KnownAccounts } from '../work/known-accounts.js';
import { Runtime } from '../work/runtime.js';

/** When an open operation is due again, and when a person must review it. */
@Injectable()
export class OverdueSchedule {
  constructor(
    private readonly operationsStore: OperationsStore,
    private readonly kinds: OperationKinds,
    private readonly accounts: KnownAccounts,
    private readonly clocks: PlatformClocks,
    private readonly runtime: Runtime,
  ) {}

  isOverdue(operation: Operation): boolean {
    return this.sentForMs(operation) > this.reviewTime(operation).afterMs;
  }

  /** When a person must look at it. Nothing can be asked about one without an id: then soon. */
  reviewTime(operation: Operation): ReviewTime {
    const time = this.kinds
      .of(operation)
      .reviewTime(operation, this.accounts.of(operation.account));
    const { withoutIdMs } = OVERDUE_WORK;
    if (operation.platformId !== null || time.afterMs < withoutIdMs) return time;
    const detail = `its create got no answer, and nothing said in ${withoutIdMs / 60_000} min what became of it`;
    return { afterMs: withoutIdMs, detail };
  }

  at(operation: Operation, inMs: number): Promise<void> {
    return this.operationsStore.schedule(operation, { inMs });
  }

  /** At its next read; one without an id when it can be matched. */
  async next(operation: Operation): Promise<void> {
    const checks = operation.checks + 1;
    const { scheduleMs } = this.accounts.of(operation.account).reconciliation;
    const nextMs = hasPlatformId(operation)
      ? nextReadMs(scheduleMs, checks, this.runtime)
      : this.untilMatchedMs(operation);
    const inMs = Math.min(nextMs, this.untilReviewMs(operation));
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
    return Math.max(0, this.reviewTime(operation).afterMs - this.sentForMs(operation)) + 1;
  }

  private sentForMs(operation: Operation): number {
    return sentForMs(operation, this.accounts.of(operation.account).sending.sendBeforeMs);
  }

  /** Milliseconds until the lists of a payment's window can be whole; infinite when they are, or when it cannot be matched. */
  private untilMatchedMs(operation: Operation): number {
    const wholeAt = isPayment(operation) ? windowIsWholeAt(operation.sentAt) : null;
    const leftMs = Number(wholeAt) - this.clocks.of(operation.account).now().getTime();
    return leftMs > 0
      ? leftMs + this.runtime.jittered(OVERDUE_WORK.spreadMs, 1)
      : Number.POSITIVE_INFINITY;
  }
}
