import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { AccountRegistry } from '../accounts/account-registry.js';
import { LedgerSignals } from '../ledger/ledger-commits.js';
import { Ledger } from '../ledger/ledger.js';
import { hasPlatformId, OperationReader } from '../ledger/operation-evidence.service.js';
import { isDecidable } from '../ledger/operation-states.js';
import { spanOf } from '../ledger/watched-operations.js';
import { PlatformRejectedError } from '../platform.errors.js';
import { DueWorkFinder } from '../queue/due-work-finder.js';
import { WorkLoop } from '../queue/work-loop.js';
import { READ_REVIEW_MS } from '../ledger/decisions.js';
import { READ_FAILED_MS } from '../ledger/operation-changes.js';
import { DAY, MINUTE, Runtime, SECOND } from '../runtime/clock.js';
import { SafeLogger } from '../runtime/logging.js';
import { inSpan } from '../runtime/telemetry/spans.js';
import { logFieldsOf, type Operation } from '../store/operation.js';
import { OperationsStore } from '../store/operations.store.js';
import { isMatched } from '../tills/payment-matcher.js';
import { FailedReads, OverdueOperationsReconciler } from './overdue-operations.js';
import { AccountSweeps } from './sweeps.service.js';

const LEASE_MS = 120 * SECOND;

/** We repeat the read of a failed operation for this long while the read fails. */
const RETRY_FAILED_FOR_MS = DAY;

/** A review that proof can settle is read every hour on the first day, then every day, for 30 days at most. */
const FOLLOWED_FOR_MS = 30 * DAY;

/** Spreads reads that are due at the same time over twice this time. */
const SPREAD_MS = MINUTE;

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
    leaseMs: LEASE_MS,
    sendLeaseMs: LEASE_MS,
  };
  private readonly logger = new SafeLogger();
  private readonly failedReads: FailedReads;

  constructor(
    private readonly operationsStore: OperationsStore,
    private readonly ledger: Ledger,
    private readonly reader: OperationReader,
    private readonly sweeps: AccountSweeps,
    private readonly runtime: Runtime,
  ) {
    this.failedReads = new FailedReads(runtime);
  }

  async work(operation: Operation): Promise<void> {
    const wasRead = await this.readAgain(operation);
    const current = await this.ledger.find(operation);
    // An operation whose state has changed has its next schedule already.
    if (current.state !== operation.state) return;
    const inMs = this.untilNextRead(operation, wasRead);
    const isRepeated = !wasRead && inMs !== null && hasPlatformId(operation);
    await this.operationsStore.schedule(current, {
      inMs: isRepeated ? this.failedReads.againInMs(operation, inMs) : inMs,
    });
  }

  /** Reads an operation, or has it matched because money may be its. False when that must be repeated. */
  private async readAgain(operation: Operation): Promise<boolean> {
    try {
      if (hasPlatformId(operation)) await this.reader.read(operation, 'follow-up');
      else if (isMatched(operation)) await this.sweeps.match(operation);
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

  private untilNextRead(operation: Operation, wasRead: boolean): number | null {
    const { state, unchangedMs } = operation;
    const isOld = unchangedMs > FOLLOWED_FOR_MS;
    // Sweeps match it. It is due only because money may be its.
    if (!hasPlatformId(operation)) return wasRead || isOld ? null : READ_REVIEW_MS;
    if (state === 'failed' || state === 'partially_succeeded') {
      // An earlier read that a transaction caused does not replace the read after ten minutes.
      const isLast = wasRead && unchangedMs >= READ_FAILED_MS;
      if (isLast || unchangedMs > RETRY_FAILED_FOR_MS) return null;
      return READ_FAILED_MS + this.runtime.jittered(SPREAD_MS, 1);
    }
    if (!isDecidable(operation) || isOld) return null;
    return this.runtime.jittered(unchangedMs < DAY ? READ_REVIEW_MS : DAY);
  }
}

/** Claims operations that are due, of all accounts that this process reconciles, and has them settled or followed. */
@Injectable()
export class DueOperationsLoops implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly loops: readonly WorkLoop<Operation>[];

  constructor(
    reconciler: OverdueOperationsReconciler,
    follower: SettledOperationsFollower,
    private readonly operationsStore: OperationsStore,
    private readonly signals: LedgerSignals,
    private readonly accounts: AccountRegistry,
    private readonly finder: DueWorkFinder,
    private readonly runtime: Runtime,
  ) {
    this.loops = [this.loopOf(reconciler), this.loopOf(follower)];
    signals.changes$.subscribe(({ dueInMs }) => {
      if (typeof dueInMs === 'number') finder.expect(dueInMs);
    });
  }

  onApplicationBootstrap(): void {
    if (this.accounts.reconciles) for (const loop of this.loops) loop.start();
  }

  async onModuleDestroy(): Promise<void> {
    this.signals.close();
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }

  private loopOf(
    due: OverdueOperationsReconciler | SettledOperationsFollower,
  ): WorkLoop<Operation> {
    const { name, span, concurrency, claim } = due;
    return new WorkLoop<Operation>({
      runtime: this.runtime,
      name,
      accounts: () => this.accounts.reconciledNames(),
      concurrency,
      wakeUps: this.signals.due$,
      finder: this.finder,
      isDue: ({ open, followed }) => (claim.followed ? followed : open),
      claim: (names, limit) => this.operationsStore.claimDue(names, { ...claim, limit }),
      work: (operation) => inSpan(spanOf(operation, span), () => due.work(operation)),
    });
  }
}
