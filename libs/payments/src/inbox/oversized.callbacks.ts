import { Inject, Injectable, Logger } from '@nestjs/common';
import { ClosingSignal } from '../http/closing.signal.js';
import { LedgerFeed } from '../ledger/ledger.feed.js';
import { PaymentsStore } from '../ledger/payments.store.js';
import { RESOLVED_OPTIONS } from '../payments.constants.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import { BARE_PREFIX, type CallbackResource } from '../resources/callback-urls.js';
import { Runtime } from '../runtime/runtime.js';
import { ResultSettler } from './result.settler.js';

/** One result is asked for no more often than this, however often it is refused. */
const AGAIN_AFTER_MS = 60_000;

/** Waits before each look at a polling result. */
const POLLING_ASKED_AFTER_MS = [0, 2_000, 10_000, 60_000, 300_000, 900_000];

/** Results remembered as asked for; the oldest are forgotten first. */
const MOST_REMEMBERED = 1_000;

/** A callback that is too large is refused unread: what it would have said is asked for instead. */
@Injectable()
export class OversizedCallbacks {
  private readonly logger = new Logger('Tillkit');
  private readonly askedAt = new Map<string, number>();
  /** Polling results that are being asked for: one that is refused again meanwhile is asked for once. */
  private readonly asking = new Set<string>();

  constructor(
    private readonly store: PaymentsStore,
    private readonly feed: LedgerFeed,
    private readonly results: ResultSettler,
    private readonly closing: ClosingSignal,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
    private readonly runtime: Runtime,
  ) {}

  /** Never throws: the callback is refused whatever comes of it. */
  async refused(resource: CallbackResource, id: string): Promise<void> {
    if (!this.isDue(`${resource}/${id}`)) return;
    try {
      if (resource === 'incoming-payments') await this.askForPayment(id);
      else if (resource === 'polling' && id.startsWith(BARE_PREFIX)) await this.askForPolling(id);
    } catch (error) {
      this.logger.warn(
        `the result of a callback that was too large could not be read: ${String(error)}`,
      );
    }
  }

  /** The platform posts it once: one bad moment of ours, or of the platform, must not lose it. */
  private async askForPolling(id: string): Promise<void> {
    if (this.asking.has(id)) return;
    this.asking.add(id);
    try {
      await this.untilRead(id);
    } finally {
      this.asking.delete(id);
    }
  }

  private async untilRead(id: string): Promise<void> {
    let failure: unknown = new Error('it is not ready');
    for (const waitMs of POLLING_ASKED_AFTER_MS) {
      if (!(await this.closing.pause(this.runtime.jittered(waitMs)))) break;
      try {
        if (await this.results.readPolling(id)) return;
      } catch (error) {
        failure = error;
      }
    }
    await this.store.count(this.options.account, 'polling result too large and not read', id);
    throw failure;
  }

  private async askForPayment(id: string): Promise<void> {
    await this.store.hastenPayments(this.options.account, [id], {
      cause: 'a callback that was too large',
      againAfterMs: AGAIN_AFTER_MS,
    });
    this.feed.due$.next();
  }

  private isDue(key: string): boolean {
    const now = this.runtime.elapsed();
    const last = this.askedAt.get(key);
    if (last !== undefined && now - last < AGAIN_AFTER_MS) return false;
    this.askedAt.delete(key);
    this.askedAt.set(key, now);
    const [oldest] = this.askedAt.keys();
    if (this.askedAt.size > MOST_REMEMBERED && oldest !== undefined) this.askedAt.delete(oldest);
    return true;
  }
}
