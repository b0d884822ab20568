import { Injectable, Module } from '@nestjs/common';
import {
  type HealthIndicatorResult,
  HealthIndicatorService,
  TerminusModule,
} from '@nestjs/terminus';
import { AccountRegistry } from '../../accounts/account-registry.js';
import { BackgroundRequests } from '../../platform/background-requests.js';
import { Resources } from '../../platform/resources.js';
import { STATISTICS, WaitingWorkService } from '../waiting-work.service.js';
import { Runtime } from '../../runtime/clock.js';
import { DeliveriesStore } from '../../store/deliveries.store.js';
import type { QueueLength } from '../../store/statistics.store.js';

/** A check searches this many of the newest deliveries for a callback. */
const MOST_SEARCHED = 200;

const DEFAULTS = { maxAgeMs: 5 * 60_000, maxSilenceMs: 15 * 60_000 } as const;

/**
 * Says how the payments are, for `@nestjs/terminus`. No check makes a request to the platform. Those that ask the store share one
 * statement in five seconds, and end in two seconds also when the store hangs.
 * @example
 * \@Get('health')
 * \@HealthCheck()
 * check() {
 *   return this.health.check([() => this.payments.store(), () => this.payments.backlog()]);
 * }
 * @see docs/observability.md#health
 * @publicApi
 */
@Injectable()
export class PaymentsHealthIndicator {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly waitingWork: WaitingWorkService,
    private readonly background: BackgroundRequests,
    private readonly deliveries: DeliveriesStore,
    private readonly resources: Resources,
    private readonly accounts: AccountRegistry,
    private readonly runtime: Runtime,
  ) {}

  /** Down when the store does not answer. Without it, deliveries are answered 503 and nothing is sent: fit for a readiness probe. */
  async store(
    key = 'payments-store',
    { timeoutMs = STATISTICS.readWithinMs }: StoreHealthOptions = {},
  ): Promise<HealthIndicatorResult> {
    const { isKnown } = await this.waitingWork.read(timeoutMs);
    const indicator = this.indicators.check(key);
    return isKnown ? indicator.up() : indicator.down({ message: 'the store does not answer' });
  }

  /** Down when the last renewal of the token failed and no valid one is left: nothing is sent, and no outcome is read. */
  token(key = 'payments-token', { account }: HealthOptions = {}): HealthIndicatorResult {
    const status = this.named(account).map((name) => this.resources.resources(name).tokens.status);
    const failing = status.filter((one) => one === 'failing').length;
    return this.judged(key, failing, status.length, 'no access token');
  }

  /** Down when the circuit breaker is open: the platform fails or asked to wait, and background requests are paused. */
  circuit(key = 'payments-circuit', { account }: HealthOptions = {}): HealthIndicatorResult {
    const names = this.named(account);
    const open = this.background.openCircuits().filter((name) => names.includes(name));
    return this.judged(key, open.length, names.length, 'circuit open');
  }

  /** Down when a delivery or a listener call has waited for longer than `maxAgeMs`. Also says what else waits. */
  async backlog(
    key = 'payments-backlog',
    { account, maxAgeMs = DEFAULTS.maxAgeMs, maxDeadLetters }: BacklogHealthOptions = {},
  ): Promise<HealthIndicatorResult> {
    const { queues, isKnown } = await this.waitingWork.read();
    const indicator = this.indicators.check(key);
    if (!isKnown) return indicator.down({ message: 'the store does not answer' });
    const own = queues.filter((queue) => account === undefined || queue.account === account);
    const { oldestMs } = summed(own, 'deliveries', 'calls');
    const deadLetters = summed(own, 'dead_letters').count;
    const reviews = summed(own, 'in_review');
    const data = {
      deliveries: summed(own, 'deliveries').count,
      listenerCalls: summed(own, 'calls').count,
      deadLetters,
      inReview: reviews.count,
      oldestReviewMs: Math.round(reviews.oldestMs),
      passedGuard: summed(own, 'passed_guard').count,
      oldestMs: Math.round(oldestMs),
    };
    const isLate =
      oldestMs > maxAgeMs || deadLetters > (maxDeadLetters ?? Number.POSITIVE_INFINITY);
    return isLate ? indicator.down(data) : indicator.up(data);
  }

  /**
   * Down when operations have waited for longer than `maxSilenceMs` and no callback came in this time: the platform does not reach this
   * application. While nothing waits, silence is no fault; that nobody has paid a payment link is none either.
   */
  async lastCallback(
    key = 'payments-last-callback',
    { account, maxSilenceMs = DEFAULTS.maxSilenceMs }: LastCallbackHealthOptions = {},
  ): Promise<HealthIndicatorResult> {
    const indicator = this.indicators.check(key);
    const { queues, isKnown } = await this.waitingWork.read();
    if (!isKnown) return indicator.down({ message: 'the store does not answer' });
    const silent: string[] = [];
    for (const { account: name, queue, oldestMs } of queues) {
      const isAsked = account === undefined || name === account;
      if (!isAsked || queue !== 'open' || oldestMs <= maxSilenceMs) continue;
      const ageMs = await this.lastCallbackAgeMs(name);
      if (ageMs === null) return indicator.down({ message: 'the store does not answer' });
      if (ageMs > maxSilenceMs) silent.push(name);
      // One account is enough to say so, and each costs a read.
      if (silent.length > 0) break;
    }
    const [first] = silent;
    return first === undefined
      ? indicator.up()
      : indicator.down({
          message: `operations of account ${first} wait, and no callback came for longer than ${maxSilenceMs} ms`,
        });
  }

  /**
   * The last callback is at least this old. We search only the newest deliveries, and those of a busy till may all be webhooks. Infinite
   * when no callback is found and all deliveries were searched; null when the store does not answer.
   */
  private async lastCallbackAgeMs(account: string): Promise<number | null> {
    let ageMs: number | null = null;
    const read = this.deliveries
      .list(account, {}, { limit: MOST_SEARCHED })
      .then(({ items }) => {
        const newest = items.find(({ kind }) => kind === 'callback');
        const oldest = items.length === MOST_SEARCHED ? items.at(-1) : undefined;
        ageMs = (newest ?? oldest)?.ageMs ?? Number.POSITIVE_INFINITY;
      })
      .catch(() => undefined);
    await this.runtime.endsWithin(read, STATISTICS.readWithinMs);
    return ageMs;
  }

  /** Returns the accounts that a check is about: one, or all that this process knows. */
  private named(account: string | undefined): string[] {
    const names = this.accounts.all().map((settings) => settings.account);
    return account === undefined ? names : names.filter((name) => name === account);
  }

  /** The fault of one merchant of many is no fault of the application, so the check is down only when all accounts fail. */
  private judged(
    key: string,
    failing: number,
    all: number,
    message: string,
  ): HealthIndicatorResult {
    const indicator = this.indicators.check(key);
    const isDown = failing > 0 && failing === all;
    if (isDown) return indicator.down({ message, accounts: failing });
    return failing > 0 ? indicator.up({ message, accounts: failing }) : indicator.up();
  }
}

function summed(queues: readonly QueueLength[], ...names: QueueLength['queue'][]) {
  const own = queues.filter(({ queue }) => names.includes(queue));
  return {
    count: own.reduce((sum, { count }) => sum + count, 0),
    oldestMs: own.reduce((oldest, queue) => Math.max(oldest, queue.oldestMs), 0),
  };
}

/** Provides `PaymentsHealthIndicator`. Import it beside `PaymentsModule`, where your health controller is. @publicApi */
@Module({
  imports: [TerminusModule],
  providers: [PaymentsHealthIndicator],
  exports: [PaymentsHealthIndicator],
})
export class PaymentsHealthModule {}

/** Selects the accounts that a check is about. @publicApi */
export interface HealthOptions {
  /**
   * The account. Without it, the check is about all accounts that this process knows: token and circuit are down when that is true of every
   * one of them, because a fault of one merchant is no fault of the application.
   */
  account?: string;
}

/** @publicApi */
export interface StoreHealthOptions {
  /** Milliseconds in which the store must answer. @default 2000 */
  timeoutMs?: number;
}

/** @publicApi */
export interface BacklogHealthOptions extends HealthOptions {
  /** Milliseconds that a delivery or a listener call may wait. @default 300000 */
  maxAgeMs?: number;
  /** Most dead letters. @default any number */
  maxDeadLetters?: number;
}

/** @publicApi */
export interface LastCallbackHealthOptions extends HealthOptions {
  /** Milliseconds that operations may wait without any callback. @default 900000 */
  maxSilenceMs?: number;
}
