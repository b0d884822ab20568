import { Injectable } from '@nestjs/common';
import { LostMoney } from '../ledger/lost-money.js';
import type { Operation } from '../ledger/operation.js';
import { RestoresStore } from '../ledger/restores.store.js';
import { isPayment } from '../operations/payments/payment.js';
import { PaymentMatcher } from './payment.matcher.js';
import { beforeSending } from './match-window.js';

/** Money of the time that a restore has lost, and that no operation owns: a customer may have paid it for the request that is asked for again. */
@Injectable()
export class RestoredMoney extends LostMoney {
  constructor(
    private readonly restores: RestoresStore,
    private readonly matcher: PaymentMatcher,
  ) {
    super();
  }

  async fitting(operation: Operation): Promise<string | null> {
    if (!isPayment(operation)) return null;
    const lost = await this.restores.find(operation.account);
    if (!lost) return null;
    const window = { from: beforeSending(lost.from), to: lost.to };
    const [sum] = await this.matcher.untiedMoney(operation, window);
    if (!sum) return null;
    const reference = sum.received?.reference ?? 'without a reference';
    return `transaction ${reference} of the time that a restore has lost fits this payment, so the customer may have paid it already: it was not sent`;
  }
}
