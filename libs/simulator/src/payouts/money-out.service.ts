import type { FaultSubject } from '../faults/fault-subject.js';
import type { MerchantContext } from '../merchants/merchant-context.js';
import type { PlatformExchange } from '../server/platform-exchange.dto.js';
import type { ResourceWriter } from '../server/resource-writer.js';
import {
  describePayoutScenario,
  INSUFFICIENT_BALANCE,
  type PayoutScenarioName,
} from './payout-scenarios.constants.js';
import type { PayoutStatus } from './payout.model.js';

/** A request that sends money. */
interface MoneyRequest {
  readonly id: string;
  status: PayoutStatus;
}

/** The money for one destination. Its scenario decides the outcome. */
interface MoneyPart {
  readonly scenario: PayoutScenarioName;
  readonly isReserved: boolean;
}

/** Carries out requests that send money, and delivers their results. A change of a part returns true when it has changed the resource. */
export abstract class MoneyOut<Request extends MoneyRequest, Part extends MoneyPart> {
  protected constructor(protected readonly context: MerchantContext) {}

  /** Reserves the money. */
  protected abstract schedule(request: Request): void;
  protected abstract process(request: Request): void;
  protected abstract partsOf(request: Request): readonly Part[];
  protected abstract writerOf(request: Request): ResourceWriter<Request>;
  protected abstract pay(request: Request, part: Part): boolean;
  protected abstract cancel(request: Request, part: Part, error: string): boolean;
  protected abstract takeBack(request: Request, part: Part): boolean;

  /** Returns the parts that have not ended, in the order in which they end. */
  protected openPartsOf(request: Request): readonly Part[] {
    return this.partsOf(request);
  }

  /**
   * Begins a request. With the fault `before-create-answer`, its result is delivered before the create is answered, unless the receiver
   * waits for that answer.
   */
  async begin(request: Request, exchange: PlatformExchange, subject: FaultSubject): Promise<void> {
    const early = exchange.inject('before-create-answer', subject);
    const done = this.carryOut(request, early !== null);
    if (early) await Promise.race([done, this.context.clock.wait(early.ms!)]);
  }

  /**
   * Carries a request out: Received, Scheduled, Processed, then one part after the other.
   * @param atOnce true leaves out the usual delays
   * @returns after the first attempts to deliver the results that no scenario delays
   */
  protected async carryOut(request: Request, atOnce = false): Promise<void> {
    const { clock, timings } = this.context;
    const pause = (ms: number) => (atOnce ? Promise.resolve() : clock.wait(ms));
    if (request.status === 'Received') {
      await pause(timings.payoutScheduling);
      request.status = 'Scheduled';
      this.schedule(request);
    }
    if (request.status === 'Scheduled') {
      await pause(timings.payoutProcessing);
      request.status = 'Processed';
      this.process(request);
    }
    const deliveries = [this.deliverResult(request)];
    for (const part of this.openPartsOf(request)) {
      await pause(timings.disbursement);
      if (this.end(request, part)) deliveries.push(this.deliverResult(request));
    }
    await Promise.all(deliveries);
  }

  /** Ends a part as its scenario says. */
  private end(request: Request, part: Part): boolean {
    const { timings } = this.context;
    const { outcome, isSlow, isContradicted, error } = describePayoutScenario(part.scenario);
    const pay = () => this.pay(request, part);
    if (!part.isReserved) return this.cancel(request, part, INSUFFICIENT_BALANCE);
    if (isSlow) {
      this.later(request, timings.slowDisbursement, pay);
      return false;
    }
    switch (outcome) {
      case 'open':
        return false;
      case 'cancelled':
        if (isContradicted) this.later(request, timings.afterwards, pay);
        return this.cancel(request, part, error!);
      case 'transferred':
        if (isContradicted)
          this.later(request, timings.afterwards, () => this.takeBack(request, part));
        return pay();
    }
  }

  private later(request: Request, delayMs: number, change: () => boolean): void {
    this.context.clock.schedule(delayMs, () => {
      if (change()) void this.deliverResult(request);
    });
  }

  private async deliverResult(request: Request): Promise<void> {
    const { deliveries } = this.context;
    const callback = this.writerOf(request).callback(request);
    const isSilent = this.partsOf(request).some(
      ({ scenario }) => describePayoutScenario(scenario).isSilent,
    );
    if (isSilent) deliveries.recordLost(callback);
    else await deliveries.send(callback);
  }
}

/** Returns the platform's report about a part that was paid. */
export function reportOfPaid({ scenario }: MoneyPart): { status: string; errors: string[] | null } {
  const { outcome, error, status = 'Transferred' } = describePayoutScenario(scenario);
  return { status, errors: error !== undefined && outcome === 'transferred' ? [error] : null };
}
