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
import type { PaymentRecord } from '../ledger/payment.js';
import { hasPlatformId, PaymentReader } from '../ledger/payment.reader.js';
import { PaymentSender } from '../ledger/payment.sender.js';
import { isOpen } from '../ledger/payment.states.js';
import { PaymentsStore } from '../ledger/payments.store.js';
import { RESOLVED_OPTIONS } from '../payments.constants.js';
import { CircuitOpenError, PlatformRejectedError } from '../payments.errors.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import { nextReadMs } from './read.schedule.js';
import { TillSweeper } from './till.sweeper.js';
import { matchUnknown, matchWindow } from './unknown.matcher.js';

const CONCURRENCY = 10;

/** As long as reading a window may take. */
const LEASE_MS = 120_000;

/** Transactions are listed a little after they happen: a window counts as whole this long after its end. */
const LATE_ENTRY_MS = 60_000;

/** After a failure of the platform a payment is due again this soon, whatever the schedule says. */
const RETRY_MS = 15_000;

/** Brings every payment to an end: sends what was never sent, reads what is overdue, matches what has no id. */
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
    private readonly sweeper: TillSweeper,
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
      claim: (limit) => store.claimDuePayments(options.account, limit, LEASE_MS),
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
      const leftMs = this.options.reconciliation.reviewAfterMs - payment.ageMs;
      if (this.isOverdue(payment)) await this.reviewForNoEvidence(payment);
      else
        await this.store.schedulePayment(payment.account, payment.id, {
          inMs: Math.min(inMs * (1 + this.runtime.random() * 0.2), Math.max(0, leftMs) + 1),
        });
    }
  }

  private async advance(payment: PaymentRecord): Promise<void> {
    if (payment.state === 'created') {
      await this.sender.send(payment);
      return;
    }
    const asked =
      payment.state === 'requested' ? await this.ledger.giveUpOnAnswer(payment.id) : payment;
    if (!isOpen(asked.state)) return;
    const after = hasPlatformId(asked) ? await this.read(asked) : await this.match(asked);
    if (!isOpen(after.state)) return;
    if (this.isOverdue(after)) await this.reviewForNoEvidence(after);
    else await this.scheduleNext(after);
  }

  private async read(payment: PaymentRecord & { platformId: string }): Promise<PaymentRecord> {
    try {
      return await this.reader.read(payment);
    } catch (error) {
      // The platform may not show a new payment at once, or lose one: neither says that nobody was charged.
      if (error instanceof PlatformRejectedError && error.status === 404) return payment;
      throw error;
    }
  }

  /** Without an id there is nothing to read: the till's transactions are listed, once all that could fit are there. */
  private async match(payment: PaymentRecord): Promise<PaymentRecord> {
    if (!payment.sentAt) return payment;
    const { from, to } = matchWindow(payment.sentAt);
    const wholeInMs = to.getTime() + LATE_ENTRY_MS - this.clock.now().getTime();
    if (wholeInMs > 0) return payment;
    const { account, tillKey, amountMinor } = payment;
    const { sweepFrom } = await this.store.sweepProgress(account, this.clock.now());
    await this.sweeper.sweep(from, to, sweepFrom);
    const like = { tillKey, amountMinor, currency: payment.amount.currency };
    const rivals = await this.settleRivals(
      await this.store.findOpenPayments(account, like),
      payment,
    );
    const untied = await this.store.findUntiedTransactions(account, { ...like, from, to });
    const match = matchUnknown(payment, untied, rivals);
    if (match.kind === 'none') return payment;
    if (match.kind === 'ambiguous')
      return this.ledger.review(payment.id, 'ambiguous', match.detail);
    const { received } = match.transaction;
    return received ? this.ledger.takeMatchedTransaction(payment.id, received) : payment;
  }

  /** Payments that have an id are asked first whether the money is theirs. */
  private async settleRivals(
    open: readonly PaymentRecord[],
    payment: PaymentRecord,
  ): Promise<PaymentRecord[]> {
    const rivals = open.filter(({ id }) => id !== payment.id);
    const asked = await Promise.all(
      rivals.filter(hasPlatformId).map((rival) => this.reader.read(rival)),
    );
    const nameless = rivals.filter((rival) => !hasPlatformId(rival));
    return [...asked, ...nameless].filter(({ state }) => isOpen(state));
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
      Math.max(0, reviewAfterMs - payment.ageMs) + 1,
    );
    await this.store.schedulePayment(payment.account, payment.id, { inMs: dueInMs, checks });
  }
}
