import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { accountAttributes, AccountRegistry } from '../accounts/account-registry.js';
import { BackgroundRequests } from '../platform/background-requests.js';
import { CallbackUrls } from '../platform/callback-urls.js';
import { Runtime, SECOND } from '../runtime/clock.js';
import { SafeLogger } from '../runtime/logging.js';
import { PerAccount } from '../runtime/per-account.js';
import { ATTRIBUTE, METRICS } from '../runtime/telemetry/metrics-list.js';
import { type Measured, observe } from '../runtime/telemetry/metrics.js';
import { DeliveriesStore } from '../store/deliveries.store.js';
import type { Operation } from '../store/operation.js';
import { type Pause, PausesStore } from '../store/pauses.store.js';
import { type QueueLength, QUEUES, StatisticsStore } from '../store/statistics.store.js';

/** Figures about the store, for metrics and health checks. */
export const STATISTICS = {
  /** The last answer of the store is used for this long. */
  keptMs: 5 * SECOND,
  /** When the store is slow, its answer is used for this many times as long as the store took. */
  idleShare: 20,
  readWithinMs: 2 * SECOND,
} as const;

/** The work that waits, by the last answer of the store. */
export interface WaitingWork {
  queues: readonly QueueLength[];
  pauses: readonly Pause[];
  /** True when the store answered. If it did not, the lists are empty. */
  isKnown: boolean;
}

const UNKNOWN: WaitingWork = { queues: [], pauses: [], isKnown: false };

/**
 * Metrics and health checks read here the work that waits in the store, and the pauses. However many ask, and however often, the store is
 * asked only once in some seconds.
 */
@Injectable()
export class WaitingWorkService {
  private reading: Promise<WaitingWork> | null = null;
  private last: { work: WaitingWork; until: number } | null = null;

  constructor(
    private readonly statistics: StatisticsStore,
    private readonly pauses: PausesStore,
    private readonly runtime: Runtime,
  ) {}

  /**
   * Never throws, and ends in time, also when the store hangs.
   * @param withinMs how long to wait for the store
   */
  async read(withinMs: number = STATISTICS.readWithinMs): Promise<WaitingWork> {
    const { last } = this;
    if (last && this.runtime.elapsed() < last.until) return last.work;
    // While the store hangs, nobody asks it again.
    const reading = (this.reading ??= this.readOnce().finally(() => (this.reading = null)));
    return (await this.runtime.endsWithin(reading, withinMs)) ? reading : UNKNOWN;
  }

  private async readOnce(): Promise<WaitingWork> {
    let work = UNKNOWN;
    const beganAt = this.runtime.elapsed();
    try {
      const [queues, pauses] = await Promise.all([this.statistics.queues(), this.pauses.all()]);
      work = { queues, pauses, isKnown: true };
    } catch {
      // The store is away: that is what its metric and its health check say.
    }
    // Millions of dead letters take long to count: that must not keep the store busy.
    const now = this.runtime.elapsed();
    const keptMs = Math.max(STATISTICS.keptMs, (now - beganAt) * STATISTICS.idleShare);
    this.last = { work, until: now + keptMs };
    return work;
  }
}

const { backlog, backlogAge, storeUp, circuitsOpen, pauses: paused } = METRICS;

/** Exports the work that waits in the store, the open circuits and the pauses, whenever an SDK collects metrics. */
@Injectable()
export class WorkGauges implements OnApplicationBootstrap, OnModuleDestroy {
  private stop: (() => void) | null = null;

  constructor(
    private readonly waitingWork: WaitingWorkService,
    private readonly background: BackgroundRequests,
    private readonly accounts: AccountRegistry,
  ) {}

  onApplicationBootstrap(): void {
    this.stop = observe([backlog, backlogAge, storeUp, circuitsOpen, paused], (measured) =>
      this.measure(measured),
    );
  }

  onModuleDestroy(): void {
    this.stop?.();
  }

  private async measure(measured: Measured): Promise<void> {
    measured(circuitsOpen, this.background.openCircuits().length);
    const { queues, pauses, isKnown } = await this.waitingWork.read();
    measured(storeUp, isKnown ? 1 : 0);
    if (!isKnown) return;
    measured(paused, pauses.length);
    for (const group of this.groupsOf(queues)) {
      for (const name of QUEUES) {
        const waiting = group.queues.filter(({ queue }) => queue === name);
        const attributes = { ...group.attributes, [ATTRIBUTE.queue]: name };
        const count = waiting.reduce((sum, queue) => sum + queue.count, 0);
        const oldestMs = waiting.reduce((oldest, queue) => Math.max(oldest, queue.oldestMs), 0);
        measured(backlog, count, attributes);
        measured(backlogAge, oldestMs / 1_000, attributes);
      }
    }
  }

  /** Returns the queues of each account that has its own time series, and the queues of all other accounts together. */
  private groupsOf(queues: readonly QueueLength[]) {
    const names = this.accounts.all().map(({ account }) => account);
    const own = names.filter((name) => ATTRIBUTE.account in accountAttributes(this.accounts, name));
    return [
      ...own.map((name) => ({
        attributes: accountAttributes(this.accounts, name),
        queues: queues.filter(({ account }) => account === name),
      })),
      { attributes: {}, queues: queues.filter(({ account }) => !own.includes(account)) },
    ];
  }
}

/** Now and then a callback is lost. So many in a row are not. */
const READ_IN_A_ROW = 3;

/** We search this many of the newest deliveries for a callback. */
const MOST_SEARCHED = 200;

interface Account {
  /** The times at which the operations were made that ended by a read, the oldest first. */
  readOperations: Date[];
  /** The time since which callbacks are missing; null while we have logged nothing about it. */
  missingSince: Date | null;
}

/**
 * Warns when payments end because they are read, and no callback comes: a wrong public URL harms nobody at once, so nobody would notice
 * that every payment takes 20 s longer and that no till event comes by webhook.
 */
@Injectable()
export class MissingCallbacksService {
  private readonly logger = new SafeLogger();
  private readonly byAccount: PerAccount<Account>;

  constructor(
    private readonly deliveriesStore: DeliveriesStore,
    private readonly urls: CallbackUrls,
    accounts: AccountRegistry,
  ) {
    this.byAccount = new PerAccount<Account>(
      () => ({ readOperations: [], missingSince: null }),
      accounts.closed$,
    );
  }

  /** Call it when a read has settled an operation. Never throws: a store that is away now answers the next time. */
  async settledByRead({ account, createdAt }: Operation): Promise<void> {
    const state = this.byAccount.get(account);
    state.readOperations.push(createdAt);
    const [oldest] = state.readOperations;
    if (state.readOperations.length < READ_IN_A_ROW || !oldest) return;
    state.readOperations = [];
    const came = await this.callbackCameSince(account, state.missingSince ?? oldest);
    if (came === 'unknown') return;
    // A callback between two outages makes the second one worth a line.
    if (came && state.missingSince) state.missingSince = null;
    if (state.missingSince || (await this.callbackCameSince(account, oldest)) !== false) return;
    state.missingSince = oldest;
    const url = this.urls.root(account);
    this.logger.warn(
      `the last ${READ_IN_A_ROW} operations ended only because they were read: no callback has come. The platform ` +
        `probably does not reach ${url}/callbacks: check PAYMENTS_PUBLIC_URL, the paths that your proxy forwards, and whether this log has ` +
        `refused deliveries, and the proxy's and the firewall's: 403 is a rule that stops our routes, 413 a limit of bodies. ` +
        `From outside, "curl -i -X POST ${url}/callbacks/polling/x" must be answered with 401`,
      { account },
    );
  }

  /** 'unknown' when the store does not answer, or when too many webhooks came since then to tell. */
  private async callbackCameSince(account: string, since: Date): Promise<boolean | 'unknown'> {
    try {
      const { items, next } = await this.deliveriesStore.list(
        account,
        {},
        { limit: MOST_SEARCHED },
      );
      const newer = items.filter(({ receivedAt }) => receivedAt > since);
      if (newer.some(({ kind }) => kind === 'callback')) return true;
      return next && newer.length === items.length ? 'unknown' : false;
    } catch {
      return 'unknown';
    }
  }
}
