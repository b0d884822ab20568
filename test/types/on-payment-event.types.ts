/**
 * A listener with the wrong parameter must not compile. This file is checked by `npm run typecheck`: an error that does
 * not occur is an error.
 */
import type { PoolClient } from 'pg';
import { OnPaymentEvent, type PaymentsEvents } from '@tillkit/payments';

export class Right {
  @OnPaymentEvent('payment.succeeded')
  exact(_event: PaymentsEvents['payment.succeeded']): void {}

  @OnPaymentEvent('payment.succeeded')
  wider(_event: { eventId: string }): void {}

  @OnPaymentEvent('payment.failed')
  none(): void {}

  @OnPaymentEvent('payment.succeeded')
  @OnPaymentEvent('payment.reversed')
  two(_event: PaymentsEvents['payment.succeeded'] | PaymentsEvents['payment.reversed']): void {}

  @OnPaymentEvent('till.transaction.received', { id: 'tills' })
  async later({ paymentId }: PaymentsEvents['till.transaction.received']): Promise<string | null> {
    return Promise.resolve(paymentId);
  }
}

export class Transactional {
  @OnPaymentEvent('payment.succeeded', { transactional: true })
  both(_event: PaymentsEvents['payment.succeeded'], _transaction: PoolClient): void {}

  @OnPaymentEvent('payment.succeeded', { transactional: true, id: 'one' })
  one(_event: PaymentsEvents['payment.succeeded']): void {}

  // @ts-expect-error a third parameter, which a listener does not get
  @OnPaymentEvent('payment.succeeded', { transactional: true })
  third(_event: PaymentsEvents['payment.succeeded'], _one: PoolClient, _more: number): void {}
}

export class Narrowed {
  @OnPaymentEvent('payment.succeeded')
  paid({ transaction }: PaymentsEvents['payment.succeeded']): [string, string, string] {
    return [transaction.reference, transaction.amount, transaction.currency];
  }

  @OnPaymentEvent('payment.reversed')
  reversed({ transaction }: PaymentsEvents['payment.reversed']): string {
    return transaction.reference;
  }

  @OnPaymentEvent('till.transaction.received')
  till({ transaction }: PaymentsEvents['till.transaction.received']): string {
    // @ts-expect-error money at a till may have an id instead of a reference
    return transaction.reference;
  }
}

export class Wrong {
  // @ts-expect-error the payload of another event
  @OnPaymentEvent('payment.failed')
  another(_event: PaymentsEvents['payment.succeeded']): void {}

  // @ts-expect-error a string
  @OnPaymentEvent('payment.succeeded')
  text(_event: string): void {}

  // @ts-expect-error a second parameter, which a listener does not get
  @OnPaymentEvent('payment.succeeded')
  second(_event: PaymentsEvents['payment.succeeded'], _more: number): void {}

  // @ts-expect-error an event that does not exist
  @OnPaymentEvent('payment.paid')
  unknown(): void {}
}
