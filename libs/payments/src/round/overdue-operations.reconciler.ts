import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { PlatformClocks } from '../work/platform.clock.js';
import { CreateAnswersService } from '../send/create-answers.service.js';
import { Ledger } from '../ledger/ledger.js';
import { LedgerSignals } from '../ledger/ledger.signals.js';
import { isOpen } from '../ledger/operation.states.js';
import { OperationsStore } from '../store/operations.store.js';
import { OperationKinds, type ReviewTime } from '../ledger/operation.kind.js';
import { hasPlatformId, OperationReader } from '../ledger/operation.reader.js';
import { logFieldsOf, type Operation } from '../store/operation.js';
import { isPayment } from '../operations/payments/payment.js';
import { spanOf } from '../ledger/operation.span.js';
import { OperationSender } from '../send/operation.sender.js';
import { CircuitOpenError, PlatformRejectedError } from '../payments.errors.js';
import { KnownAccounts } from '../work/known.accounts.js';
import { nextReadMs, OVERDUE_WORK, SENDING } from '../work/backoff.js';
import { Runtime } from '../work/runtime.js';
import { ShutdownSignal } from '../work/shutdown.signal.js';
import { WorkLookout } from '../work/work.lookout.js';
import { WorkLoop } from '../work/work.loop.js';
import { inSpan } from '../work/telemetry/spans.js';
import { windowIsWholeAt } from '../tills/match-window.js';
import { PaymentMatcher } from '../tills/payment.matcher.js';
import type { Swept } from '../tills/unread-money.js';
import { MissingCallbacksService } from './missing-callbacks.service.js';
import { SweepSchedule } from './sweep.schedule.js';
import { SafeLogger } from '../work/safe.logger.js';

/** Operations of one account that are processed at the same time. */
const CONCURRENCY = 10;

/** Settles every open operation: sends those of `record()`, reads those that are overdue, matches payments without a platform id. */
@Injectable()
export class OverdueOperationsReconciler implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new SafeLogger();
  private readonly loop: WorkLoop<Operation>;

  constructor(
    private readonly operationsStore: OperationsStore,
    signals: LedgerSignals,
    private readonly shutdown: ShutdownSignal,
    private readonly ledger: Ledger,
    private readonly answers: CreateAnswersService,
    private readonly sender: OperationSender,
    private readonly reader: OperationReader,
    private readonly kinds: OperationKinds,
    private readonly matcher: PaymentMatcher,
    private readonly sweeps: SweepSchedule,
    private readonly missingCallbacks: MissingCallbacksService,
    private readonly clocks: PlatformClocks,
    private readonly accounts: KnownAccounts,
    lookout: WorkLookout,
    private readonly runtime: Runtime,
  ) {
    this.loop = new WorkLoop<Operation>({
      runtime,
      name: 'due operations',
      accounts: () => accounts.reconciledNames(),
      concurrency: CONCURRENCY,
      wakeUps: signals.due$,
      lookout,
      isDue: ({ open }) => open,
      claim: (names, limit) =>
        operationsStore.claimDue(names, {
          followed: false,
          limit,
          leaseMs: OVERDUE_WORK.leaseMs,
          sendLeaseMs: OVERDUE_WORK.sendLeaseMs,
        }),
      work: (operation) => inSpan(spanOf(operation, 'reconcile'), () => this.reconcile(operation)),
    });
    // A change may make its operation, or a rival of it, due at once.
    signals.changes$.subscribe(() => lookout.expect());
  }

  onApplicationBootstrap(): void {
    if (this.accounts.reconciles) this.loop.start();
  }

  async onModuleDestroy(): Promise<void> {
    this.shutdown.close();
    await this.loop.stop();
  }

  private async reconcile(operation: Operation): Promise<void> {
    try {
      await this.advance(operation);
    } catch (error) {
      const inMs = error instanceof CircuitOpenError ? error.retryAfterMs : OVERDUE_WORK.retryMs;
      this.logger.debug(
        `an operation could not be reconciled: ${String(error)}`,
        logFieldsOf(operation),
      );
      if (this.isOverdue(operation)) await this.reviewForNoEvidence(operation);
      else {
        const current = await this.ledger.find(operation);
        const leftMs = this.reviewTime(operation).afterMs - operation.ageMs;
        await this.operationsStore.schedule(current, {
          inMs: Math.min(inMs * (1 + this.runtime.random() * 0.2), Math.max(0, leftMs) + 1),
        });
      }
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
      const answerWithinMs = this.sender.answerWithinMs(operation);
      if (answerWithinMs > 0) {
        await this.operationsStore.schedule(operation, { inMs: answerWithinMs + 1 });
        return;
      }
      current = await this.answers.giveUp(operation);
    }
    if (!isOpen(current.state)) return;
    const { operation: read, failure } = await this.read(current);
    // Only a read settles a link that was cancelled or has expired, and a payout or a refund that failed.
    const isCallbackMissing = !isOpen(read.state) && (isPayment(read) || read.state !== 'failed');
    if (isCallbackMissing) await this.missingCallbacks.settledByRead(read);
    // Sweeping and matching go on although the read failed: they do not need it.
    const after = isOpen(read.state) ? await this.sweptAndMatched(read) : read;
    if (!isOpen(after.state)) return;
    if (failure) throw failure;
    if (this.isOverdue(after)) await this.reviewForNoEvidence(after);
    else await this.scheduleNext(after);
  }

  /** Sends an operation of `record()`. An operation of `request()` is sent only in that call; here it fails when its time is over. */
  private async send(operation: Operation): Promise<void> {
    if (operation.sendWithinMs <= 0) {
      await this.sender.tooLate(operation);
      return;
    }
    const after = operation.inBackground ? await this.sender.send(operation) : operation;
    if (after.state !== 'created') return;
    const againMs = operation.inBackground
      ? this.runtime.jittered(SENDING.holdsOthersMs)
      : Number.POSITIVE_INFINITY;
    await this.operationsStore.schedule(after, { inMs: Math.min(againMs, after.sendWithinMs + 1) });
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

  /**
   * When all transactions of the window of a payment were read: matches it when it has no platform id, and releases its window when no
   * transaction fits, so that the same customer may be prompted again.
   */
  private async sweptAndMatched(operation: Operation): Promise<Operation> {
    if (!isPayment(operation)) return operation;
    const readyAt = windowIsWholeAt(operation.sentAt);
    if (!readyAt || this.clocks.of(operation.account).now() < readyAt) return operation;
    if (hasPlatformId(operation) && operation.windowSwept) return operation;
    const swept = await this.swept(operation, readyAt);
    if (!swept) return operation;
    const matched = hasPlatformId(operation)
      ? operation
      : await this.matcher.match(operation, swept, 'overdue');
    if (!isOpen(matched.state) || matched.windowSwept) return matched;
    return (await this.matcher.isSurelyUnpaid(matched, swept))
      ? this.ledger.releaseWindow(matched)
      : matched;
  }

  /**
   * What sweeps have read, if that is all up to a time. An operation with a platform id settles by its reads, so a failed sweep is only logged:
   * it must not cause more reads. An operation without one needs the sweep, so the error is thrown.
   */
  private async swept(operation: Operation, readyAt: Date): Promise<Swept | null> {
    try {
      return await this.sweeps.swept(operation.account, readyAt);
    } catch (error) {
      if (!hasPlatformId(operation)) throw error;
      this.logger.debug(
        `the window of an operation could not be read: ${String(error)}`,
        logFieldsOf(operation),
      );
      return null;
    }
  }

  private isOverdue(operation: Operation): boolean {
    return operation.ageMs > this.reviewTime(operation).afterMs;
  }

  private reviewTime(operation: Operation): ReviewTime {
    return this.kinds.of(operation).reviewTime(operation, this.accounts.of(operation.account));
  }

  private async reviewForNoEvidence(operation: Operation): Promise<void> {
    const current = await this.answers.giveUp(operation);
    if (isOpen(current.state)) {
      await this.ledger.review(operation, 'no_evidence', this.reviewTime(operation).detail);
    }
  }

  private async scheduleNext(operation: Operation): Promise<void> {
    const checks = operation.checks + 1;
    const { scheduleMs } = this.accounts.of(operation.account).reconciliation;
    const dueInMs = Math.min(
      nextReadMs(scheduleMs, checks, this.runtime),
      this.untilWindowIsWhole(operation),
      Math.max(0, this.reviewTime(operation).afterMs - operation.ageMs) + 1,
    );
    await this.operationsStore.schedule(operation, { inMs: dueInMs, checks });
  }

  private untilWindowIsWhole(operation: Operation): number {
    const isSwept = operation.windowSwept || !isPayment(operation);
    const readyAt = isSwept ? null : windowIsWholeAt(operation.sentAt);
    if (!readyAt) return Number.POSITIVE_INFINITY;
    const leftMs = readyAt.getTime() - this.clocks.of(operation.account).now().getTime();
    return leftMs > 0
      ? leftMs + this.runtime.jittered(OVERDUE_WORK.spreadMs, 1)
      : Number.POSITIVE_INFINITY;
  }
}
