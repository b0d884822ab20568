import { Injectable, Logger } from '@nestjs/common';
import { OnPaymentEvent, type PaymentsEvents } from '@tillkit/payments';

/** Logs the outcome of payouts. The page reads their state. */
@Injectable()
export class SuppliersListener {
  private readonly logger = new Logger('Shop');

  @OnPaymentEvent('payout.succeeded')
  logPaid({ payout }: PaymentsEvents['payout.succeeded']): void {
    this.logger.log(`payout ${payout.id} is paid`);
  }

  @OnPaymentEvent('payout.failed')
  logFailure({ payout, reason }: PaymentsEvents['payout.failed']): void {
    this.logger.warn(`payout ${payout.id} is not paid: ${reason}`);
  }

  /** Do not pay again before an operator has decided. */
  @OnPaymentEvent('payout.needs_review')
  callShopkeeper({ payout, cause }: PaymentsEvents['payout.needs_review']): void {
    this.logger.warn(`payout ${payout.id} needs your decision: ${cause}`);
  }
}
