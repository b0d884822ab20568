import { Injectable } from '@nestjs/common';
import { LostMoney } from '../ledger/lost-money.js';
import type { Operation } from '../ledger/operation.js';
import { OperationsStore } from '../ledger/operations.store.js';
import { RestoresStore, type LostTime } from '../ledger/restores.store.js';
import { isPayment, type PaymentRecord } from '../operations/payments/payment.js';
import { beforeSending } from './match-window.js';
import { PaymentMatcher } from './payment.matcher.js';

/** Payments of one customer since a restore. */
const MOST_DECIDED = 100;

/**
 * Money of the time that a restore has lost, and that no operation owns: its payer may have paid it for the request that is asked for again. Money
 * whose payer is unknown does not count: else it would stop everybody who pays that amount.
 */
@Injectable()
export class RestoredMoney extends LostMoney {
  constructor(
    private readonly restores: RestoresStore,
    private readonly operations: OperationsStore,
    private readonly matcher: PaymentMatcher,
  ) {
    super();
  }

  async fitting(operation: Operation): Promise<string | null> {
    if (!isPayment(operation)) return null;
    const lost = await this.restores.find(operation.account);
    if (!lost) return null;
    const window = { from: beforeSending(lost.from), to: lost.to };
    const sums = await this.matcher.untiedMoney(operation, window);
    const ofPayer = sums.filter(({ payerHash }) => payerHash !== null);
    if (ofPayer.length === 0) return null;
    const details = ofPayer.map(({ received }) => detailOf(received?.reference ?? null));
    const decided = await this.decidedAgainst(operation, lost);
    return details.find((detail) => !decided.has(detail)) ?? null;
  }

  /** What a person has said to be for something else: it must not stop the customer's next payment. */
  private async decidedAgainst(
    { account, subscriber }: PaymentRecord,
    { from }: LostTime,
  ): Promise<ReadonlySet<string>> {
    const filter = { kind: 'payment', phoneNumber: subscriber.phoneNumber, from };
    const { items } = await this.operations.list(
      account,
      { ...filter, states: ['failed'] },
      { limit: MOST_DECIDED },
    );
    const decided = items.filter((payment) => payment.decided);
    const histories = await Promise.all(
      decided.map(({ id }) => this.operations.history(account, id)),
    );
    return new Set(histories.flat().map(({ detail }) => detail));
  }
}

function detailOf(reference: string | null): string {
  return (
    `transaction ${reference ?? 'without a reference'} of the time that a restore has lost fits this payment, so the customer may have paid it ` +
    'already: it was not sent'
  );
}
