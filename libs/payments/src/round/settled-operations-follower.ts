import { Injectable } from '@nestjs/common';
import { Ledger } from '../ledger/ledger.js';
import { isDecidable } from '../ledger/operation-states.js';
import { OperationsStore } from '../store/operations.store.js';
import { hasPlatformId, OperationReader } from '../ledger/operation.reader.js';
import { isPayment } from '../operations/payments/payment.js';
import { PlatformRejectedError } from '../payments.errors.js';
import { FOLLOW_UP_WORK } from '../work/backoff.js';
import { Runtime } from '../work/runtime.js';
import { logFieldsOf, type Operation } from '../store/operation.js';
import { isDenied, windowIsWholeAt } from '../tills/match-window.js';
import { PaymentMatcher } from '../tills/payment-matcher.js';
import type { Swept } from '../tills/unread-money.js';
import { AccountSweeps } from './account-sweeps.js';
import { SafeLogger } from '../work/safe-logger.js';

/**
 * Reads settled operations that may still change: failed ones, because the money may have moved anyway, and reviews that proof can
 * settle. Its reads use only a small share of the rate.
 */
@Injectable()
export class SettledOperationsFollower {
  /** Name of the work, for the log. */
  readonly name = 'settled operations';
  readonly span = 'follow';
  /** Operations of one account that are processed at the same time. */
  readonly concurrency = 3;
  readonly claim = {
    followed: true,
    leaseMs: FOLLOW_UP_WORK.leaseMs,
    sendLeaseMs: FOLLOW_UP_WORK.leaseMs,
  };
  private readonly logger = new SafeLogger();

  constructor(
    private readonly operationsStore: OperationsStore,
    private readonly ledger: Ledger,
    private readonly reader: OperationReader,
    private readonly matcher: PaymentMatcher,
    private readonly sweeps: AccountSweeps,
    private readonly runtime: Runtime,
  ) {}

  async work(operation: Operation): Promise<void> {
    const wasRead = await this.readAgain(operation);
    const current = await this.ledger.find(operation);
    // An operation whose state has changed has its next schedule already.
    if (current.state !== operation.state) return;
    const inMs = (await this.isUndenied(current))
      ? this.runtime.jittered(FOLLOW_UP_WORK.untilDeniedMs)
      : this.untilNextRead(operation, wasRead);
    await this.operationsStore.schedule(current, { inMs });
  }

  /** Whether a transaction fits a failed payment, and no read has denied it yet. */
  private async isUndenied(operation: Operation): Promise<boolean> {
    const { state, deniedAt, decided } = operation;
    if (!isPayment(operation) || state !== 'failed' || decided) return false;
    if (!hasPlatformId(operation)) return false;
    if (operation.unchangedMs > FOLLOW_UP_WORK.retryFailedForMs) return false;
    return (await this.matcher.untiedMoney(operation)).some(
      ({ originatedAt }) => originatedAt && !isDenied(deniedAt, originatedAt),
    );
  }

  /** Reads or matches an operation. False when that must be repeated. */
  private async readAgain(operation: Operation): Promise<boolean> {
    try {
      if (hasPlatformId(operation)) await this.reader.read(operation, 'follow-up');
      else if (isPayment(operation) && isDecidable(operation)) {
        const swept = await this.sweptWindow(operation);
        if (swept) await this.matcher.match(operation, swept, 'follow-up');
      }
      await this.release(operation);
      return true;
    } catch (error) {
      this.logger.debug(
        `an operation could not be read again: ${String(error)}`,
        logFieldsOf(operation),
      );
      // A refused read is final, but after a 404 the platform may still show the operation later.
      return error instanceof PlatformRejectedError && error.status !== 404;
    }
  }

  /** Lets another request of the customer through when its whole window was swept at last and no money fits. */
  private async release(operation: Operation): Promise<void> {
    if (!isPayment(operation) || operation.cause !== 'no_evidence' || operation.windowSwept) return;
    const swept = await this.sweptWindow(operation);
    if (swept && (await this.matcher.isSurelyUnpaid(operation, swept)))
      await this.ledger.releaseWindow(operation);
  }

  /** What sweeps have read, if that is the whole window: a transaction that is not listed yet could fit as well. */
  private async sweptWindow({ account, sentAt }: Operation): Promise<Swept | null> {
    const wholeAt = windowIsWholeAt(sentAt);
    return wholeAt && this.sweeps.swept(account, wholeAt);
  }

  private untilNextRead(operation: Operation, wasRead: boolean): number | null {
    const { state, unchangedMs } = operation;
    if (state === 'failed' || state === 'partially_succeeded') {
      // An earlier read that a transaction caused does not replace the read after ten minutes.
      const isLast = wasRead && unchangedMs >= FOLLOW_UP_WORK.readFailedMs;
      if (isLast || unchangedMs > FOLLOW_UP_WORK.retryFailedForMs) return null;
      return FOLLOW_UP_WORK.readFailedMs + this.runtime.jittered(FOLLOW_UP_WORK.spreadMs, 1);
    }
    if (!hasPlatformId(operation) && !isPayment(operation)) return null;
    if (!isDecidable(operation) || unchangedMs > FOLLOW_UP_WORK.followedForMs) return null;
    return this.runtime.jittered(
      unchangedMs < FOLLOW_UP_WORK.dailyMs ? FOLLOW_UP_WORK.hourlyMs : FOLLOW_UP_WORK.dailyMs,
    );
  }
}
