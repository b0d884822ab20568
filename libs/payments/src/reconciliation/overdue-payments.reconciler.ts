import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { PlatformClocks } from '../http/platform.clock.js';
import { CreateAnswersService } from '../ledger/create-answers.service.js';
import { Ledger } from '../ledger/ledger.js';
import { LedgerSignals } from '../ledger/ledger.signals.js';
import { isOpen } from '../ledger/operation.states.js';
import { OperationsStore } from '../ledger/operations.store.js';
import type { PaymentRecord } from '../operations/payments/payment.js';
import { hasPlatformId, PaymentReader } from '../operations/payments/payment.reader.js';
import { PaymentSender } from '../operations/payments/payment.sender.js';
import { CircuitOpenError, PlatformRejectedError } from '../payments.errors.js';
import { namesOf, PaymentsAccounts } from '../payments.accounts.js';
import { nextReadMs, OVERDUE_WORK } from '../runtime/backoff.js';
import { Runtime } from '../runtime/runtime.js';
import { ShutdownSignal } from '../runtime/shutdown.signal.js';
import { WorkLoop } from '../runtime/work.loop.js';
import { windowIsWholeAt } from '../tills/match-window.js';
import { PaymentMatcher } from '../tills/payment.matcher.js';
import { MissingCallbacksService } from './missing-callbacks.service.js';
import { SweepSchedule } from './sweep.schedule.js';
import { SafeLogger } from '../runtime/safe.logger.js';

/** Payments of one account that are processed at the same time. */
const CONCURRENCY = 10;

/** Settles every open payment: sends payments of `record()`, reads overdue payments, matches payments without a platform id. */
@Injectable()
export class OverduePaymentsReconciler implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new SafeLogger();
  private readonly loop: WorkLoop<PaymentRecord>;

  constructor(
    private readonly operationsStore: OperationsStore<PaymentRecord>,
    signals: LedgerSignals,
    private readonly shutdown: ShutdownSignal,
    private readonly ledger: Ledger<PaymentRecord>,
    private readonly answers: CreateAnswersService<PaymentRecord>,
    private readonly sender: PaymentSender,
    private readonly reader: PaymentReader,
    private readonly matcher: PaymentMatcher,
    private readonly sweeps: SweepSchedule,
    private readonly missingCallbacks: MissingCallbacksService,
    private readonly clocks: PlatformClocks,
    private readonly accounts: PaymentsAccounts,
    private readonly runtime: Runtime,
  ) {
    this.loop = new WorkLoop<PaymentRecord>({
      runtime,
      name: 'due payments',
      accounts: () => namesOf(accounts.reconciled()),
      concurrency: () => CONCURRENCY,
      idleMs: () => shortestIntervalMs(accounts),
      wakeUps: signals.due$,
      claim: (names, limit) =>
        operationsStore.claimDue(names, {
          followed: false,
          limit,
          leaseMs: OVERDUE_WORK.leaseMs,
          sendLeaseMs: OVERDUE_WORK.sendLeaseMs,
        }),
      work: (payment) => this.reconcile(payment),
    });
  }

  onApplicationBootstrap(): void {
    if (this.accounts.reconciled().length > 0) this.loop.start();
  }

  async onModuleDestroy(): Promise<void> {
    this.shutdown.close();
    await this.loop.stop();
  }

  private async reconcile(payment: PaymentRecord): Promise<void> {
    try {
      await this.advance(payment);
    } catch (error) {
      const inMs = error instanceof CircuitOpenError ? error.retryAfterMs : OVERDUE_WORK.retryMs;
      this.logger.debug(`payment ${payment.id} could not be reconciled: ${String(error)}`);
      if (this.isOverdue(payment)) await this.reviewForNoEvidence(payment);
      else {
        const current = await this.ledger.find(payment);
        const leftMs = this.reviewAfterMs(payment) - payment.ageMs;
        await this.operationsStore.schedule(current, {
          inMs: Math.min(inMs * (1 + this.runtime.random() * 0.2), Math.max(0, leftMs) + 1),
        });
      }
    }
  }

  private async advance(payment: PaymentRecord): Promise<void> {
    if (payment.state === 'created') {
      await this.send(payment);
      return;
    }
    let current = payment;
    if (payment.state === 'requested') {
      // A transaction or a refused callback made it due while another process may still get the answer to its create.
      const answerWithinMs = this.sender.answerWithinMs(payment);
      if (answerWithinMs > 0) {
        await this.operationsStore.schedule(payment, { inMs: answerWithinMs + 1 });
        return;
      }
      current = await this.answers.giveUp(payment);
    }
    if (!isOpen(current.state)) return;
    const { payment: read, failure } = await this.read(current);
    if (!isOpen(read.state)) await this.missingCallbacks.settledByRead(read);
    // Sweeping and matching go on although the read failed: they do not need it.
    const after = isOpen(read.state) ? await this.sweptAndMatched(read) : read;
    if (!isOpen(after.state)) return;
    if (failure) throw failure;
    if (this.isOverdue(after)) await this.reviewForNoEvidence(after);
    else await this.scheduleNext(after);
  }

  /** Sends a payment of `record()`. A payment of `request()` is sent only in that call; here it fails when its time is over. */
  private async send(payment: PaymentRecord): Promise<void> {
    if (payment.sendWithinMs <= 0) await this.sender.tooLate(payment);
    else if (payment.inBackground) await this.sender.send(payment);
    else await this.operationsStore.schedule(payment, { inMs: payment.sendWithinMs + 1 });
  }

  private async read(
    payment: PaymentRecord,
  ): Promise<{ payment: PaymentRecord; failure?: unknown }> {
    if (!hasPlatformId(payment)) return { payment };
    try {
      return { payment: await this.reader.read(payment, 'overdue') };
    } catch (error) {
      const current = await this.ledger.find(payment);
      // The platform may not show a new payment at once, or may lose one. A 404 does not prove that nobody was charged.
      const isMissing = error instanceof PlatformRejectedError && error.status === 404;
      return isMissing ? { payment: current } : { payment: current, failure: error };
    }
  }

  /**
   * When all transactions of its window were read: matches a payment without a platform id, and releases the window of a payment
   * that no transaction fits, so that the same customer may be prompted again.
   */
  private async sweptAndMatched(payment: PaymentRecord): Promise<PaymentRecord> {
    const readyAt = windowIsWholeAt(payment.sentAt);
    if (!readyAt || this.clocks.of(payment.account).now() < readyAt) return payment;
    if (hasPlatformId(payment) && payment.windowSwept) return payment;
    if (!(await this.covers(payment, readyAt))) return payment;
    const matched = hasPlatformId(payment) ? payment : await this.matcher.match(payment, 'overdue');
    if (!isOpen(matched.state) || matched.windowSwept) return matched;
    return (await this.matcher.isSurelyUnpaid(matched))
      ? this.ledger.releaseWindow(matched)
      : matched;
  }

  /**
   * Whether sweeps have read all up to a time. A payment with a platform id settles by its reads, so a failed sweep is only logged:
   * it must not cause more reads. A payment without one needs the sweep, so the error is thrown.
   */
  private async covers(payment: PaymentRecord, readyAt: Date): Promise<boolean> {
    try {
      return await this.sweeps.covers(payment.account, readyAt);
    } catch (error) {
      if (!hasPlatformId(payment)) throw error;
      this.logger.debug(`the window of payment ${payment.id} could not be read: ${String(error)}`);
      return false;
    }
  }

  private isOverdue(payment: PaymentRecord): boolean {
    return payment.ageMs > this.reviewAfterMs(payment);
  }

  private reviewAfterMs({ account }: PaymentRecord): number {
    return this.accounts.of(account).reconciliation.reviewAfterMs;
  }

  private async reviewForNoEvidence(payment: PaymentRecord): Promise<void> {
    const hours = (this.reviewAfterMs(payment) / 3_600_000).toFixed(1);
    const current = await this.answers.giveUp(payment);
    if (isOpen(current.state)) {
      await this.ledger.review(
        payment,
        'no_evidence',
        `the platform gave no outcome in ${hours} h`,
      );
    }
  }

  private async scheduleNext(payment: PaymentRecord): Promise<void> {
    const checks = payment.checks + 1;
    const { scheduleMs, reviewAfterMs } = this.accounts.of(payment.account).reconciliation;
    const dueInMs = Math.min(
      nextReadMs(scheduleMs, checks, this.runtime),
      this.untilWindowIsWhole(payment),
      Math.max(0, reviewAfterMs - payment.ageMs) + 1,
    );
    await this.operationsStore.schedule(payment, { inMs: dueInMs, checks });
  }

  private untilWindowIsWhole(payment: PaymentRecord): number {
    const readyAt = payment.windowSwept ? null : windowIsWholeAt(payment.sentAt);
    if (!readyAt) return Number.POSITIVE_INFINITY;
    const leftMs = readyAt.getTime() - this.clocks.of(payment.account).now().getTime();
    return leftMs > 0
      ? leftMs + this.runtime.jittered(OVERDUE_WORK.spreadMs, 1)
      : Number.POSITIVE_INFINITY;
  }
}

/** Milliseconds between two claims for all accounts: the shortest interval of one of them. */
export function shortestIntervalMs(accounts: PaymentsAccounts): number {
  return Math.min(...accounts.reconciled().map(({ reconciliation }) => reconciliation.intervalMs));
}
