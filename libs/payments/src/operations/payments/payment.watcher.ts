import type { Subscriber } from 'rxjs';
import { isSettled } from '../../ledger/operation.states.js';
import { StoreUnavailableError } from '../../payments.errors.js';
import { WATCHING } from '../../runtime/backoff.js';
import type { CancelTimer, Runtime } from '../../runtime/runtime.js';
import type { Payment } from './payment.js';

/**
 * Polls one payment and emits it when it has changed. One read runs at a time. All requests during a read cause one more read, so
 * that reads do not queue up for a slow store.
 */
export class PaymentWatcher {
  private isReading = false;
  private again = false;
  private stopped = false;
  private failures = 0;
  private last: Payment | null = null;
  private cancelNext: CancelTimer | null = null;
  private subscriber!: Subscriber<Payment>;

  /** @param options.everyMs milliseconds between reads when other replicas may change the payment; null when none can */
  constructor(
    private readonly runtime: Runtime,
    private readonly find: () => Promise<Payment>,
    private readonly options: { everyMs: number | null },
  ) {}

  start(subscriber: Subscriber<Payment>): void {
    this.subscriber = subscriber;
    this.look();
  }

  stop(): void {
    this.stopped = true;
    this.cancelNext?.();
  }

  /** Requests a read, because the payment may have changed. */
  look(): void {
    if (this.stopped) return;
    if (this.isReading) this.again = true;
    else void this.readNow();
  }

  private async readNow(): Promise<void> {
    this.isReading = true;
    this.again = false;
    this.cancelNext?.();
    try {
      const payment = await this.find();
      this.failures = 0;
      if (!this.stopped) this.emit(payment);
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) {
        this.subscriber.error(error);
        return;
      }
      this.failures += 1;
    } finally {
      this.isReading = false;
    }
    this.readLater();
  }

  private emit(payment: Payment): void {
    const { last } = this;
    this.last = payment;
    if (last && isSame(last, payment)) return;
    this.subscriber.next(payment);
    if (isFinal(payment.state)) this.subscriber.complete();
  }

  private readLater(): void {
    if (this.stopped) return;
    if (this.again && this.failures === 0) {
      void this.readNow();
      return;
    }
    const retryMs = Math.min(
      WATCHING.longestRetryMs,
      WATCHING.firstRetryMs * 2 ** Math.min(this.failures, 10),
    );
    const waitMs = this.failures > 0 ? retryMs : this.options.everyMs;
    if (waitMs !== null) this.cancelNext = this.runtime.timer(waitMs, () => this.look());
  }
}

function isFinal(state: Payment['state']): boolean {
  return isSettled(state) && state !== 'needs_review';
}

function isSame(one: Payment, other: Payment): boolean {
  return (
    one.state === other.state &&
    one.cause === other.cause &&
    one.causeDetail === other.causeDetail &&
    one.platformId === other.platformId
  );
}
