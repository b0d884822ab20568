import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Ledger } from '../ledger/ledger.js';
import { LedgerSignals } from '../ledger/ledger.signals.js';
import { isDecidable } from '../ledger/operation.states.js';
import { OperationsStore } from '../ledger/operations.store.js';
import type { PaymentRecord } from '../operations/payments/payment.js';
import { hasPlatformId, PaymentReader } from '../operations/payments/payment.reader.js';
import { PlatformRejectedError } from '../payments.errors.js';
import { namesOf, PaymentsAccounts } from '../payments.accounts.js';
import { FOLLOW_UP_WORK } from '../runtime/backoff.js';
import { Runtime } from '../runtime/runtime.js';
import { ShutdownSignal } from '../runtime/shutdown.signal.js';
import { WorkLoop } from '../runtime/work.loop.js';
import { isDenied, windowIsWholeAt } from '../tills/match-window.js';
import { PaymentMatcher } from '../tills/payment.matcher.js';
import { shortestIntervalMs } from './overdue-payments.reconciler.js';
import { SweepSchedule } from './sweep.schedule.js';
import { SafeLogger } from '../runtime/safe.logger.js';

/** Payments of one account that are processed at the same time. */
const CONCURRENCY = 3;

/**
 * Reads settled payments that may still change: failed payments, because the customer may have paid anyway, and reviews that proof
 * can settle. Its reads use only a small share of the rate.
 */
@Injectable()
export class SettledPaymentsFollower implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new SafeLogger();
  private readonly loop: WorkLoop<PaymentRecord>;

  constructor(
    private readonly operationsStore: OperationsStore<PaymentRecord>,
    signals: LedgerSignals,
    private readonly shutdown: ShutdownSignal,
    private readonly ledger: Ledger<PaymentRecord>,
    private readonly reader: PaymentReader,
    private readonly matcher: PaymentMatcher,
    private readonly sweeps: SweepSchedule,
    private readonly accounts: PaymentsAccounts,
    private readonly runtime: Runtime,
  ) {
    this.loop = new WorkLoop<PaymentRecord>({
      runtime,
      name: 'settled payments',
      accounts: () => namesOf(accounts.reconciled()),
      concurrency: () => CONCURRENCY,
      idleMs: () => Math.max(FOLLOW_UP_WORK.idleMs, shortestIntervalMs(accounts)),
      wakeUps: signals.due$,
      claim: (names, limit) =>
        operationsStore.claimDue(names, {
          followed: true,
          limit,
          leaseMs: FOLLOW_UP_WORK.leaseMs,
          sendLeaseMs: FOLLOW_UP_WORK.leaseMs,
        }),
      work: (payment) => this.follow(payment),
    });
  }

  onApplicationBootstrap(): void {
    if (this.accounts.reconciled().length > 0) this.loop.start();
  }

  async onModuleDestroy(): Promise<void> {
    this.shutdown.close();
    await this.loop.stop();
  }

  private async follow(payment: PaymentRecord): Promise<void> {
    const wasRead = await this.readAgain(payment);
    const current = await this.ledger.find(payment);
    // A payment whose state has changed has its next schedule already.
    if (current.state !== payment.state) return;
    const inMs = (await this.isUndenied(current))
      ? this.runtime.jittered(FOLLOW_UP_WORK.untilDeniedMs)
      : this.untilNextRead(payment, wasRead);
    await this.operationsStore.schedule(current, { inMs });
  }

  /** Whether a transaction fits a failed payment, and no read has denied it yet. */
  private async isUndenied(payment: PaymentRecord): Promise<boolean> {
    const { state, deniedAt, decided } = payment;
    if (state !== 'failed' || decided || !hasPlatformId(payment)) return false;
    if (payment.unchangedMs > FOLLOW_UP_WORK.retryFailedForMs) return false;
    return (await this.matcher.untiedMoney(payment)).some(
      ({ originatedAt }) => originatedAt && !isDenied(deniedAt, originatedAt),
    );
  }

  /** Reads or matches a payment. False when that must be repeated. */
  private async readAgain(payment: PaymentRecord): Promise<boolean> {
    try {
      if (hasPlatformId(payment)) await this.reader.read(payment, 'follow-up');
      else if (isDecidable(payment) && (await this.isListed(payment)))
        await this.matcher.match(payment, 'follow-up');
      return true;
    } catch (error) {
      this.logger.debug(`payment ${payment.id} could not be read again: ${String(error)}`);
      // A refused read is final, but after a 404 the platform may still show the payment later.
      return error instanceof PlatformRejectedError && error.status !== 404;
    }
  }

  /** Whether sweeps have read the whole window: a transaction that is not listed yet could fit as well. */
  private async isListed({ account, sentAt }: PaymentRecord): Promise<boolean> {
    const wholeAt = windowIsWholeAt(sentAt);
    return wholeAt !== null && this.sweeps.covers(account, wholeAt);
  }

  private untilNextRead(payment: PaymentRecord, wasRead: boolean): number | null {
    const { state, unchangedMs } = payment;
    if (state === 'failed') {
      // An earlier read that a transaction caused does not replace the read after ten minutes.
      const isLast = wasRead && unchangedMs >= FOLLOW_UP_WORK.readFailedMs;
      if (isLast || unchangedMs > FOLLOW_UP_WORK.retryFailedForMs) return null;
      return FOLLOW_UP_WORK.readFailedMs + this.runtime.jittered(FOLLOW_UP_WORK.spreadMs, 1);
    }
    if (!isDecidable(payment) || unchangedMs > FOLLOW_UP_WORK.followedForMs) return null;
    return this.runtime.jittered(
      unchangedMs < FOLLOW_UP_WORK.dailyMs ? FOLLOW_UP_WORK.hourlyMs : FOLLOW_UP_WORK.dailyMs,
    );
  }
}
