import { Injectable } from '@nestjs/common';
import { AccountRegistry } from '../accounts/account-registry.js';
import { Ledger } from '../ledger/ledger.js';
import { hasPlatformId, OperationReader } from '../ledger/operation-evidence.service.js';
import { isOpen, sentForMs } from '../ledger/operation-states.js';
import { OperationKinds, type ReviewTime } from '../ledger/operation.kind.js';
import { isPayment } from '../operations/payments/payment.js';
import { CircuitOpenError, PlatformRejectedError } from '../platform.errors.js';
import { PlatformClocks } from '../platform/platform-clock.js';
import { MINUTE, Runtime, SECOND } from '../runtime/clock.js';
import { HOLDS_OTHERS_MS, OperationSender } from '../send/operation-sender.js';
import { SafeLogger } from '../runtime/logging.js';
import { Recent } from '../runtime/recent.js';
import { CreateAnswersService } from '../send/create-answers.service.js';
import { logFieldsOf, type Operation } from '../store/operation.js';
import { OperationsStore } from '../store/operations.store.js';
import { windowIsWholeAt } from '../tills/match-window.js';
import { isMatched } from '../tills/payment-matcher.js';
import { AccountSweeps } from './sweeps.service.js';
import { MissingCallbacksService } from './waiting-work.service.js';

/** The lease is longer than reading one window takes. */
const LEASE_MS = 120 * SECOND;

/** Much shorter than the time to send: when a replica dies before it sends, another replica can still send in time. */
const SEND_LEASE_MS = 15 * SECOND;

/** When a read fails, the operation is due again after this time, whatever the schedule says; the first time sooner, as money may wait for the answer. */
const READ_RETRY = { firstMs: 2 * SECOND, laterMs: 15 * SECOND } as const;

/** Nothing can be asked about an operation without an id: a person is asked this long after it was sent, if no sweep tells sooner. */
const WITHOUT_ID_MS = 30 * MINUTE;

/** Spreads operations whose windows end at the same time over twice this time. */
const SPREAD_MS = 30 * SECOND;

/** Decides when an open operation is due again, and when a person must review it. */
@Injectable()
export class OverdueSchedule {
  constructor(
    private readonly operationsStore: OperationsStore,
    private readonly kinds: OperationKinds,
    private readonly accounts: AccountRegistry,
    private readonly clocks: PlatformClocks,
    private readonly runtime: Runtime,
  ) {}

  isOverdue(operation: Operation): boolean {
    return this.sentForMs(operation) > this.reviewTime(operation).afterMs;
  }

  /**
   * Returns the time after which a person must look at the operation. It is early for an operation without an id, because we can't ask the
   * platform about it.
   */
  reviewTime(operation: Operation): ReviewTime {
    const time = this.kinds
      .kind(operation)
      .reviewTime(operation, this.accounts.settings(operation.account));
    if (operation.platformId !== null || time.afterMs < WITHOUT_ID_MS) return time;
    const detail = `its create got no answer, and nothing said in ${WITHOUT_ID_MS / 60_000} min what became of it`;
    return { afterMs: WITHOUT_ID_MS, detail };
  }

  at(operation: Operation, inMs: number): Promise<void> {
    return this.operationsStore.schedule(operation, { inMs });
  }

  /** Makes an operation due at its next read; one without an id when it can be matched. */
  async next(operation: Operation): Promise<void> {
    const checks = operation.checks + 1;
    const { scheduleMs } = this.accounts.settings(operation.account).reconciliation;
    const nextMs = hasPlatformId(operation)
      ? nextReadMs(scheduleMs, checks, this.runtime)
      : this.untilMatchedMs(operation);
    const inMs = Math.min(nextMs, this.untilReviewMs(operation));
    await this.operationsStore.schedule(operation, { inMs, checks });
  }

  /**
   * Makes an operation due again soon, because something failed.
   * @param claimed the operation as it was before
   */
  async retry(current: Operation, claimed: Operation, inMs: number): Promise<void> {
    const jitteredMs = inMs * (1 + this.runtime.random() * 0.2);
    await this.at(current, Math.min(jitteredMs, this.untilReviewMs(claimed)));
  }

  /** An operation that was not sent is tried again if that is the work of this process, and fails when its time is over. */
  async sendAgain(operation: Operation): Promise<void> {
    const againMs = operation.inBackground
      ? this.runtime.jittered(HOLDS_OTHERS_MS)
      : Number.POSITIVE_INFINITY;
    await this.at(operation, Math.min(againMs, operation.sendWithinMs + 1));
  }

  private untilReviewMs(operation: Operation): number {
    return Math.max(0, this.reviewTime(operation).afterMs - this.sentForMs(operation)) + 1;
  }

  private sentForMs(operation: Operation): number {
    return sentForMs(operation, this.accounts.settings(operation.account).sending.sendBeforeMs);
  }

  /** Returns the milliseconds until the lists of a payment's window can be whole; infinite when they are, or when it cannot be matched. */
  private untilMatchedMs(operation: Operation): number {
    const wholeAt = isPayment(operation) ? windowIsWholeAt(operation.sentAt) : null;
    const leftMs = Number(wholeAt) - this.clocks.clock(operation.account).now().getTime();
    return leftMs > 0 ? leftMs + this.runtime.jittered(SPREAD_MS, 1) : Number.POSITIVE_INFINITY;
  }
}

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
    leaseMs: LEASE_MS,
    sendLeaseMs: SEND_LEASE_MS,
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
            ? this.failedReads.againInMs(operation, READ_RETRY.laterMs)
            : READ_RETRY.laterMs;
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

/** Operations whose read has failed: the first failure is repeated soon, because money at a till may wait for the answer. */
export class FailedReads {
  private readonly failed: Recent<true>;

  constructor(runtime: Pick<Runtime, 'elapsed'>) {
    this.failed = new Recent(runtime);
  }

  /** Returns the milliseconds until a read that has failed is repeated: `laterMs` when it failed in the last ten minutes too. */
  againInMs<Later extends number | null>(
    { account, id }: Pick<Operation, 'account' | 'id'>,
    laterMs: Later,
  ): number | Later {
    const name = `${account} ${id}`;
    const isFirst = this.failed.get(name) === null;
    this.failed.put(name, true);
    return isFirst ? READ_RETRY.firstMs : laterMs;
  }
}

/**
 * Returns the milliseconds until the next read of an operation that was read `checks` times. The schedule has times since sending; its last wait
 * repeats.
 */
export function nextReadMs(
  scheduleMs: readonly number[],
  checks: number,
  runtime: Runtime,
): number {
  const at = (index: number): number => scheduleMs[index] ?? (scheduleMs.at(-1) as number);
  const wait =
    checks < scheduleMs.length - 1 ? at(checks) - (checks === 0 ? 0 : at(checks - 1)) : at(checks);
  return runtime.jittered(Math.max(0, wait));
}
