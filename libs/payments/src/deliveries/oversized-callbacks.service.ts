import { Injectable } from '@nestjs/common';
import { AnomaliesStore } from '../anomalies/anomalies.store.js';
import { ANOMALY } from '../anomalies/anomaly.kinds.js';
import { LedgerSignals } from '../ledger/ledger.signals.js';
import { OperationKinds } from '../ledger/operation.kind.js';
import { OperationsStore } from '../ledger/operations.store.js';
import { BARE_PREFIX, type CallbackResource } from '../resources/callback-urls.js';
import { OVERSIZED } from '../runtime/backoff.js';
import { Runtime } from '../runtime/runtime.js';
import { ShutdownSignal } from '../runtime/shutdown.signal.js';
import { CallbackResultsService } from './callback-results.service.js';
import { SafeLogger } from '../runtime/safe.logger.js';

/** Limit of `readAt`; the oldest entries are removed first. */
const MOST_ENTRIES = 1_000;

/**
 * Ids of a second that are looked at. Anybody can post to invented ids, and each costs the store a statement. The platform repeats a
 * refused callback, and a payment is read on its schedule in any case.
 */
const MOST_PER_SECOND = 20;

/** The guard refuses an oversized callback without reading it. This service reads its result from the platform instead. */
@Injectable()
export class OversizedCallbacksService {
  private readonly logger = new SafeLogger();
  /** When the result of a callback was last read, by `<account>/<resource>/<id>`. */
  private readonly readAt = new Map<string, number>();
  /** Polling results, by `<account>/<id>`, that are being read, so that a repeated callback starts no second read. */
  private readonly reading = new Set<string>();
  private second = { startedAt: 0, ids: 0 };

  constructor(
    private readonly anomaliesStore: AnomaliesStore,
    private readonly operationsStore: OperationsStore,
    private readonly kinds: OperationKinds,
    private readonly signals: LedgerSignals,
    private readonly results: CallbackResultsService,
    private readonly shutdown: ShutdownSignal,
    private readonly runtime: Runtime,
  ) {}

  /** Never throws: the callback is refused in any case. */
  async refused(account: string, resource: CallbackResource, id: string): Promise<void> {
    if (!this.isDue(`${account}/${resource}/${id}`)) return;
    try {
      if (this.kinds.hasResource(resource) && !id.startsWith(BARE_PREFIX))
        await this.makeOperationDue(account, id);
      else if (resource === 'polling' && id.startsWith(BARE_PREFIX))
        await this.readPolling(account, id);
    } catch (error) {
      this.logger.seldom(
        'warn',
        'not read',
        `a callback larger than deliveries.maxCallbackBytes was refused, and its result could not be read: ${String(error)}`,
        { account, resourceId: id },
      );
    }
  }

  /** The platform may post the callback only once, so one failed read must not lose the result. */
  private async readPolling(account: string, id: string): Promise<void> {
    const key = `${account}/${id}`;
    if (this.reading.has(key)) return;
    this.reading.add(key);
    try {
      await this.untilRead(account, id);
    } finally {
      this.reading.delete(key);
    }
  }

  private async untilRead(account: string, id: string): Promise<void> {
    let failure: unknown = new Error('the polling result is not ready');
    for (const waitMs of OVERSIZED.pollingMs) {
      if (!(await this.shutdown.pause(this.runtime.jittered(waitMs)))) break;
      try {
        if (await this.results.readPolling(account, id)) return;
      } catch (error) {
        failure = error;
      }
    }
    await this.anomaliesStore.record(account, ANOMALY.pollingResultTooLarge, id);
    throw failure;
  }

  private async makeOperationDue(account: string, id: string): Promise<void> {
    await this.operationsStore.makeDue(account, [id], {
      cause: 'a callback that was too large',
      againAfterMs: OVERSIZED.askAgainMs,
    });
    this.signals.due$.next();
  }

  private isDue(key: string): boolean {
    const now = this.runtime.elapsed();
    const last = this.readAt.get(key);
    if (last !== undefined && now - last < OVERSIZED.askAgainMs) return false;
    if (now - this.second.startedAt >= 1_000) this.second = { startedAt: now, ids: 0 };
    this.second.ids += 1;
    if (this.second.ids > MOST_PER_SECOND) return false;
    this.readAt.delete(key);
    this.readAt.set(key, now);
    const [oldest] = this.readAt.keys();
    if (this.readAt.size > MOST_ENTRIES && oldest !== undefined) this.readAt.delete(oldest);
    return true;
  }
}
