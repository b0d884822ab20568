import { Injectable } from '@nestjs/common';
import { CreateAnswersService } from '../send/create-answers.service.js';
import { Ledger } from '../ledger/ledger.js';
import { isOpen } from '../ledger/operation-states.js';
import { hasPlatformId, OperationReader } from '../ledger/operation.reader.js';
import { logFieldsOf, type Operation } from '../store/operation.js';
import { isPayment } from '../operations/payments/payment.js';
import { isMatched } from '../tills/payment-matcher.js';
import { OperationSender } from '../send/operation-sender.js';
import { CircuitOpenError, PlatformRejectedError } from '../payments.errors.js';
import { OVERDUE_WORK } from '../work/backoff.js';
import { Runtime } from '../work/runtime.js';
import { FailedReads } from './failed-reads.js';
import { MissingCallbacksService } from './missing-callbacks.service.js';
import { OverdueSchedule } from './overdue.schedule.js';
import { AccountSweeps } from './account-sweeps.js';
import { SafeLogger } from '../work/safe-logger.js';

/** Settles every open operation: sends those of `record()`, reads those that are overdue, matches payments without a platform id. */
@Injectable()
export class OverdueOperationsReconciler {
  /** Name of the work, for the log. */
  readonly name = 'due operations';
  readonly span = 'reconcile';
  /** Operations of one account that are processed at the same time. */
  readonly concurrency = 10;
  readonly claim = {
    followed: false,
    leaseMs: OVERDUE_WORK.leaseMs,
    sendLeaseMs: OVERDUE_WORK.sendLeaseMs,
  };
  private readonly logger = new SafeLogger();
  private readonly failedReads: FailedReads;

  constructor(
    private readonly ledger: Ledger,
    private readonly answers: CreateAnswersService,
    private readonly sender: OperationSender,
    private readonly reader: OperationReader,
    private readonly sweeps: AccountSweeps,
    private readonly schedule: OverdueSchedule,
    private readonly missingCallbacks: MissingCallbacksService,
    runtime: Runtime,
  ) {
    this.failedReads = new FailedReads(runtime);
  }

  async work(operation: Operation): Promise<void> {
    try {
      await this.advance(operation);
    } catch (error) {
      const inMs =
        error instanceof CircuitOpenError
          ? error.retryAfterMs
          : hasPlatformId(operation)
            ? this.failedReads.againInMs(operation, OVERDUE_WORK.retryMs)
            : OVERDUE_WORK.retryMs;
      this.logger.debug(
        `an operation could not be reconciled: ${String(error)}`,
        logFieldsOf(operation),
      );
      if (this.schedule.isOverdue(operation)) await this.reviewForNoEvidence(operation);
      else await this.schedule.retry(await this.ledger.find(operation), operation, inMs);
    }
  }

  private async advance(operation: Operation): Promise<void> {
    if (operation.state === 'created') {
      await this.send(operation);
      return;
    }
    let current = operation;
    if (operation.state === 'requested') {
      // A transaction or a refused callback made it due while another process may still get the answer to its create.
      const answerWithinMs = this.answers.answerWithinMs(operation);
      if (answerWithinMs > 0) {
        await this.schedule.at(operation, answerWithinMs + 1);
        return;
      }
      current = await this.answers.giveUp(operation);
    }
    if (!isOpen(current.state)) return;
    const { operation: read, failure } = await this.read(current);
    // Only a read settles a link that was cancelled or has expired, and a payout or a refund that failed.
    const isCallbackMissing = !isOpen(read.state) && (isPayment(read) || read.state !== 'failed');
    if (isCallbackMissing) await this.missingCallbacks.settledByRead(read);
    if (!isOpen(read.state)) return;
    if (failure) throw failure;
    if (isMatched(read)) await this.sweeps.match(read);
    const after = await this.ledger.find(read);
    if (!isOpen(after.state)) return;
    if (this.schedule.isOverdue(after)) await this.reviewForNoEvidence(after);
    else await this.schedule.next(after);
  }

  /** Sends an operation of `record()`. An operation of `request()` is sent only in that call; here it fails when its time is over. */
  private async send(operation: Operation): Promise<void> {
    if (operation.sendWithinMs <= 0) {
      await this.sender.tooLate(operation);
      return;
    }
    const after = operation.inBackground ? await this.sender.send(operation) : operation;
    if (after.state === 'created') await this.schedule.sendAgain(after);
  }

  private async read(operation: Operation): Promise<{ operation: Operation; failure?: unknown }> {
    if (!hasPlatformId(operation)) return { operation };
    try {
      return { operation: await this.reader.read(operation, 'overdue') };
    } catch (error) {
      const current = await this.ledger.find(operation);
      // The platform may not show a new operation at once, or may lose one. A 404 does not prove that nobody was charged.
      const isMissing = error instanceof PlatformRejectedError && error.status === 404;
      return isMissing ? { operation: current } : { operation: current, failure: error };
    }
  }

  private async reviewForNoEvidence(operation: Operation): Promise<void> {
    const current = await this.answers.giveUp(operation);
    if (isOpen(current.state)) {
      const { detail } = this.schedule.reviewTime(operation);
      await this.ledger.review(operation, 'no_evidence', detail);
    }
  }
}
