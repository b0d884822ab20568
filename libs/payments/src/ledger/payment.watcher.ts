import type { Subscriber } from 'rxjs';
import { StoreUnavailableError } from '../payments.errors.js';
import type { CancelTimer, Runtime } from '../runtime/runtime.js';
import type { Payment } from './payment.js';
import { isSettled } from './payment.states.js';

/** After a store that is away was asked, it is asked again after this; the wait doubles up to the longest. */
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 5_000;

/**
 * Looks at one payment, one look at a time, and passes on what has changed. Looks that are asked for while one is under way
 * become one more look: a slow store is not asked faster, and nothing is queued.
 */
export class PaymentWatcher {
  private looking = false;
  private again = false;
  private stopped = false;
  private failures = 0;
  private last: Payment | null = null;
  private cancelNext: CancelTimer | null = null;
  private subscriber!: Subscriber<Payment>;

  /** @param options.everyMs milliseconds between looks where other replicas may change it; null where none does */
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

  /** Something may have changed. */
  look(): void {
    if (this.stopped) return;
    if (this.looking) this.again = true;
    else void this.lookNow();
  }

  private async lookNow(): Promise<void> {
    this.looking = true;
    this.again = false;
    this.cancelNext?.();
    try {
      const payment = await this.find();
      this.failures = 0;
      if (!this.stopped) this.pass(payment);
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) {
        this.subscriber.error(error);
        return;
      }
      this.failures += 1;
    } finally {
      this.looking = false;
    }
    this.lookLater();
  }

  private pass(payment: Payment): void {
    const { last } = this;
    this.last = payment;
    if (last && isSame(last, payment)) return;
    this.subscriber.next(payment);
    if (isFinal(payment.state)) this.subscriber.complete();
  }

  private lookLater(): void {
    if (this.stopped) return;
    if (this.again && this.failures === 0) {
      void this.lookNow();
      return;
    }
    const retryMs = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(this.failures, 10));
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
