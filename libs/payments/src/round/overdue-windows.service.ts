import { Injectable } from '@nestjs/common';
import { Ledger } from '../ledger/ledger.js';
import { hasPlatformId } from '../ledger/operation.reader.js';
import { isOpen } from '../ledger/operation-states.js';
import { isPayment } from '../operations/payments/payment.js';
import { logFieldsOf, type Operation } from '../store/operation.js';
import { windowIsWholeAt } from '../tills/match-window.js';
import { PaymentMatcher } from '../tills/payment-matcher.js';
import type { Swept } from '../tills/unread-money.js';
import { OVERDUE_WORK } from '../work/backoff.js';
import { PlatformClocks } from '../work/platform-clock.js';
import { Runtime } from '../work/runtime.js';
import { SafeLogger } from '../work/safe-logger.js';
import { AccountSweeps } from './account-sweeps.js';

/** What sweeps say about an open payment, once all transactions of its window were read. */
@Injectable()
export class OverdueWindowsService {
  private readonly logger = new SafeLogger();

  constructor(
    private readonly ledger: Ledger,
    private readonly matcher: PaymentMatcher,
    private readonly sweeps: AccountSweeps,
    private readonly clocks: PlatformClocks,
    private readonly runtime: Runtime,
  ) {}

  /** Milliseconds until the window of a payment can be read; infinite when it need not be waited for. */
  untilWholeMs(operation: Operation): number {
    const isSwept = operation.windowSwept || !isPayment(operation);
    const readyAt = isSwept ? null : windowIsWholeAt(operation.sentAt);
    if (!readyAt) return Number.POSITIVE_INFINITY;
    const leftMs = readyAt.getTime() - this.clocks.of(operation.account).now().getTime();
    return leftMs > 0
      ? leftMs + this.runtime.jittered(OVERDUE_WORK.spreadMs, 1)
      : Number.POSITIVE_INFINITY;
  }

  /**
   * When all transactions of the window of a payment were read: matches it when it has no platform id, and releases its window when no
   * transaction fits, so that the same customer may be prompted again.
   */
  async sweptAndMatched(operation: Operation): Promise<Operation> {
    if (!isPayment(operation)) return operation;
    const readyAt = windowIsWholeAt(operation.sentAt);
    if (!readyAt || this.clocks.of(operation.account).now() < readyAt) return operation;
    if (hasPlatformId(operation) && operation.windowSwept) return operation;
    const swept = await this.swept(operation, readyAt);
    if (!swept) return operation;
    const matched = hasPlatformId(operation)
      ? operation
      : await this.matcher.match(operation, swept, 'overdue');
    if (!isOpen(matched.state) || matched.windowSwept) return matched;
    return (await this.matcher.isSurelyUnpaid(matched, swept))
      ? this.ledger.releaseWindow(matched)
      : matched;
  }

  /**
   * What sweeps have read, if that is all up to a time. An operation with a platform id settles by its reads, so a failed sweep is only logged:
   * it must not cause more reads. An operation without one needs the sweep, so the error is thrown.
   */
  private async swept(operation: Operation, readyAt: Date): Promise<Swept | null> {
    try {
      return await this.sweeps.swept(operation.account, readyAt);
    } catch (error) {
      if (!hasPlatformId(operation)) throw error;
      this.logger.debug(
        `the window of an operation could not be read: ${String(error)}`,
        logFieldsOf(operation),
      );
      return null;
    }
  }
}
