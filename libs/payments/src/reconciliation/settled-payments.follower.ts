import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { Runtime } from '../runtime/runtime.js';
import { WorkLoop } from '../events/work.loop.js';
import { ClosingSignal } from '../http/closing.signal.js';
import { FIRST_FOLLOW_UP_MS, READ_FAILED_MS } from '../ledger/ledger.changes.js';
import { LedgerFeed } from '../ledger/ledger.feed.js';
import { Ledger } from '../ledger/ledger.js';
import { isDenied, windowIsWholeAt } from '../ledger/match-window.js';
import type { PaymentRecord } from '../ledger/payment.js';
import { hasPlatformId, PaymentReader } from '../ledger/payment.reader.js';
import { isDecidable } from '../ledger/payment.states.js';
import { PaymentsStore } from '../ledger/payments.store.js';
import { RESOLVED_OPTIONS } from '../payments.constants.js';
import { PlatformRejectedError } from '../payments.errors.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import { PaymentMatcher } from './payment.matcher.js';
import { SweepSchedule } from './sweep.schedule.js';

const CONCURRENCY = 3;
const LEASE_MS = 120_000;
const IDLE_MS = 5_000;

const DAY_MS = 86_400_000;

/** A review that full proof can settle is looked at daily from the second day on, and no longer than this. */
const FOLLOWED_FOR_MS = 30 * DAY_MS;

/** While money fits a failed payment, it is read until a read that would have shown the money denies it. */
const LOOK_UNTIL_DENIED_MS = 90_000;

/** Looks that are due together are spread over twice this time. */
const SPREAD_MS = 60_000;

/** A failed payment whose second look fails is tried again for so long. */
const RETRY_FAILED_FOR_MS = DAY_MS;

/**
 * Looks again at what has settled and may still change: payments that failed, because a customer may have paid all the
 * same, and reviews that proof can settle. Its reads have a small share of the rate of their own.
 */
@Injectable()
export class SettledPaymentsFollower implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('Tillkit');
  private readonly loop: WorkLoop<PaymentRecord>;

  constructor(
    private readonly store: PaymentsStore,
    feed: LedgerFeed,
    private readonly closing: ClosingSignal,
    private readonly ledger: Ledger,
    private readonly reader: PaymentReader,
    private readonly matcher: PaymentMatcher,
    private readonly sweeps: SweepSchedule,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
    private readonly runtime: Runtime,
  ) {
    this.loop = new WorkLoop<PaymentRecord>({
      runtime,
      name: 'settled payments',
      concurrency: CONCURRENCY,
      idleMs: Math.max(IDLE_MS, options.reconciliation.intervalMs),
      news: feed.due$,
      claim: (limit) =>
        store.claimDuePayments(options.account, {
          followed: true,
          limit,
          leaseMs: LEASE_MS,
          sendLeaseMs: LEASE_MS,
        }),
      work: (payment) => this.follow(payment),
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

  private async follow(payment: PaymentRecord): Promise<void> {
    const looked = await this.look(payment);
    const current = await this.ledger.payment(payment.id);
    // What changed its state has its own schedule.
    if (current.state !== payment.state) return;
    const inMs = (await this.isUndenied(current))
      ? this.runtime.jittered(LOOK_UNTIL_DENIED_MS)
      : this.nextLookMs(payment, looked);
    await this.store.schedulePayment(current, { inMs });
  }

  /** Whether money fits a failed payment that the platform has not yet denied, long enough after the money came. */
  private async isUndenied(payment: PaymentRecord): Promise<boolean> {
    const { state, deniedAt, decided } = payment;
    if (state !== 'failed' || decided || !hasPlatformId(payment)) return false;
    if (payment.unchangedMs > RETRY_FAILED_FOR_MS) return false;
    return (await this.matcher.untiedMoney(payment)).some(
      ({ originatedAt }) => originatedAt && !isDenied(deniedAt, originatedAt),
    );
  }

  /** Whether the look was made. */
  private async look(payment: PaymentRecord): Promise<boolean> {
    try {
      if (hasPlatformId(payment)) await this.reader.read(payment, 'follow-up');
      else if (isDecidable(payment) && (await this.isListed(payment)))
        await this.matcher.match(payment, 'follow-up');
      return true;
    } catch (error) {
      this.logger.debug(`payment ${payment.id} could not be looked at again: ${String(error)}`);
      // One that is not shown (yet) was not looked at.
      return error instanceof PlatformRejectedError && error.status !== 404;
    }
  }

  /** Money that was not listed yet could fit as well. */
  private async isListed({ sentAt }: PaymentRecord): Promise<boolean> {
    const wholeAt = windowIsWholeAt(sentAt);
    return wholeAt !== null && this.sweeps.covers(wholeAt);
  }

  private nextLookMs(payment: PaymentRecord, looked: boolean): number | null {
    const { state, unchangedMs } = payment;
    if (state === 'failed') {
      // A look that money asked for sooner does not stand for the one after ten minutes.
      const isLast = looked && unchangedMs >= READ_FAILED_MS;
      if (isLast || unchangedMs > RETRY_FAILED_FOR_MS) return null;
      return READ_FAILED_MS + this.runtime.jittered(SPREAD_MS, 1);
    }
    if (!isDecidable(payment) || unchangedMs > FOLLOWED_FOR_MS) return null;
    return this.runtime.jittered(unchangedMs < DAY_MS ? FIRST_FOLLOW_UP_MS : DAY_MS);
  }
}
