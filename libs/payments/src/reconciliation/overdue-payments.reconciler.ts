import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { Runtime } from '../runtime/runtime.js';
import { WorkLoop } from '../events/work.loop.js';
import { PlatformClock } from '../http/platform.clock.js';
import { ClosingSignal } from '../http/closing.signal.js';
import { LedgerFeed } from '../ledger/ledger.feed.js';
import { Ledger } from '../ledger/ledger.js';
import { windowIsWholeAt } from '../ledger/match-window.js';
import type { PaymentRecord } from '../ledger/payment.js';
import { hasPlatformId, PaymentReader } from '../ledger/payment.reader.js';
import { PaymentSender } from '../ledger/payment.sender.js';
import { isOpen } from '../ledger/payment.states.js';
import { PaymentsStore } from '../ledger/payments.store.js';
import { RESOLVED_OPTIONS } from '../payments.constants.js';
import { CircuitOpenError, PlatformRejectedError } from '../payments.errors.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import { PaymentMatcher } from './payment.matcher.js';
import { nextReadMs } from './read.schedule.js';
import { SweepSchedule } from './sweep.schedule.js';

const CONCURRENCY = 10;

/** As long as reading a window may take. */
const LEASE_MS = 120_000;

/** Much less than the time to send: a replica that dies before it sent leaves the payment to another one in time. */
const SEND_LEASE_MS = 15_000;

/** After a failure of the platform a payment is due again this soon, whatever the schedule says. */
const RETRY_MS = 15_000;

/** Payments of one rush, whose windows end together, are looked at within twice this time. */
const SPREAD_MS = 30_000;

/** Brings every open payment to an end: sends what was recorded to be sent, reads what is overdue, matches what has no id. */
@Injectable()
export class OverduePaymentsReconciler implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('Tillkit');
  private readonly loop: WorkLoop<PaymentRecord>;

  constructor(
    private readonly store: PaymentsStore,
    feed: LedgerFeed,
    private readonly closing: ClosingSignal,
    private readonly ledger: Ledger,
    private readonly sender: PaymentSender,
    private readonly reader: PaymentReader,
    private readonly matcher: PaymentMatcher,
    private readonly sweeps: SweepSchedule,
    private readonly clock: PlatformClock,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
    private readonly runtime: Runtime,
  ) {
    this.loop = new WorkLoop<PaymentRecord>({
      runtime,
      name: 'due payments',
      concurrency: CONCURRENCY,
      idleMs: options.reconciliation.intervalMs,
      news: feed.due$,
      claim: (limit) =>
        store.claimDuePayments(options.account, {
          followed: false,
          limit,
          leaseMs: LEASE_MS,
          sendLeaseMs: SEND_LEASE_MS,
        }),
      work: (payment) => this.reconcile(payment),
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    if (!this.options.reconciliation.enabled) return;
    await this.store.init();
    this.loop.start();
  }

  async onModuleDestroy(): Promise<void> {
    this.closing.close();
    await this.loop.stop();
  }

  private async reconcile(payment: PaymentRecord): Promise<void> {
    try {
      await this.advance(payment);
    } catch (error) {
      const inMs = error instanceof CircuitOpenError ? error.retryAfterMs : RETRY_MS;
      this.logger.debug(`payment ${payment.id} could not be reconciled: ${String(error)}`);
      if (this.isOverdue(payment)) await this.reviewForNoEvidence(payment);
      else {
        const current = await this.ledger.payment(payment.id);
        const leftMs = this.options.reconciliation.reviewAfterMs - payment.ageMs;
        await this.store.schedulePayment(current, {
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
    let asked = payment;
    if (payment.state === 'requested') {
      // Money or a refused callback can make it due while its create is under way somewhere, and will have its answer.
      const answerWithinMs = this.sender.answerWithinMs(payment);
      if (answerWithinMs > 0) {
        await this.store.schedulePayment(payment, { inMs: answerWithinMs + 1 });
        return;
      }
      asked = await this.ledger.giveUpOnAnswer(payment.id);
    }
    if (!isOpen(asked.state)) return;
    const { payment: read, failure } = await this.read(asked);
    // What does not depend on that read goes on, however long the platform fails to answer it.
    const after = isOpen(read.state) ? await this.sweptAndMatched(read) : read;
    if (!isOpen(after.state)) return;
    if (failure) throw failure;
    if (this.isOverdue(after)) await this.reviewForNoEvidence(after);
    else await this.scheduleNext(after);
  }

  /** What a call of the host recorded is sent inside that call only. Here it ends when its time is over. */
  private async send(payment: PaymentRecord): Promise<void> {
    if (payment.sendWithinMs <= 0) await this.sender.tooLate(payment);
    else if (payment.inBackground) await this.sender.send(payment);
    else await this.store.schedulePayment(payment, { inMs: payment.sendWithinMs + 1 });
  }

  private async read(
    payment: PaymentRecord,
  ): Promise<{ payment: PaymentRecord; failure?: unknown }> {
    if (!hasPlatformId(payment)) return { payment };
    try {
      return { payment: await this.reader.read(payment, 'overdue') };
    } catch (error) {
      const current = await this.ledger.payment(payment.id);
      // The platform may not show a new payment at once, or lose one: neither says that nobody was charged.
      const isMissing = error instanceof PlatformRejectedError && error.status === 404;
      return isMissing ? { payment: current } : { payment: current, failure: error };
    }
  }

  /**
   * Once all money of its window was read: a payment without an id is matched, and one that no money fits keeps nobody
   * from asking again.
   */
  private async sweptAndMatched(payment: PaymentRecord): Promise<PaymentRecord> {
    const readyAt = windowIsWholeAt(payment.sentAt);
    if (!readyAt || this.clock.now() < readyAt) return payment;
    if (hasPlatformId(payment) && payment.windowSwept) return payment;
    if (!(await this.covers(payment, readyAt))) return payment;
    const matched = hasPlatformId(payment) ? payment : await this.matcher.match(payment, 'overdue');
    if (!isOpen(matched.state) || matched.windowSwept) return matched;
    return (await this.matcher.isSurelyUnpaid(matched))
      ? this.ledger.releaseWindow(matched.id)
      : matched;
  }

  /**
   * What was just read needs no sweep to settle: lists that are away must not have it read again and again. Only without an
   * id is the sweep all there is.
   */
  private async covers(payment: PaymentRecord, readyAt: Date): Promise<boolean> {
    try {
      return await this.sweeps.covers(readyAt);
    } catch (error) {
      if (!hasPlatformId(payment)) throw error;
      this.logger.debug(`the window of payment ${payment.id} could not be read: ${String(error)}`);
      return false;
    }
  }

  private isOverdue({ ageMs }: PaymentRecord): boolean {
    return ageMs > this.options.reconciliation.reviewAfterMs;
  }

  private async reviewForNoEvidence(payment: PaymentRecord): Promise<void> {
    const hours = (this.options.reconciliation.reviewAfterMs / 3_600_000).toFixed(1);
    const current = await this.ledger.giveUpOnAnswer(payment.id);
    if (isOpen(current.state)) {
      await this.ledger.review(
        payment.id,
        'no_evidence',
        `the platform gave no outcome in ${hours} h`,
      );
    }
  }

  private async scheduleNext(payment: PaymentRecord): Promise<void> {
    const checks = payment.checks + 1;
    const { scheduleMs, reviewAfterMs } = this.options.reconciliation;
    const dueInMs = Math.min(
      nextReadMs(scheduleMs, checks, this.runtime),
      this.untilWindowIsWhole(payment),
      Math.max(0, reviewAfterMs - payment.ageMs) + 1,
    );
    await this.store.schedulePayment(payment, { inMs: dueInMs, checks });
  }

  private untilWindowIsWhole(payment: PaymentRecord): number {
    const readyAt = payment.windowSwept ? null : windowIsWholeAt(payment.sentAt);
    if (!readyAt) return Number.POSITIVE_INFINITY;
    const leftMs = readyAt.getTime() - this.clock.now().getTime();
    return leftMs > 0 ? leftMs + this.runtime.jittered(SPREAD_MS, 1) : Number.POSITIVE_INFINITY;
  }
}
