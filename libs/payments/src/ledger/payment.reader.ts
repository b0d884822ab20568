import { Injectable } from '@nestjs/common';
import { BackgroundPacer } from '../http/background.pacer.js';
import { IncomingPaymentsService } from '../resources/incoming-payments/incoming-payments.service.js';
import { Ledger } from './ledger.js';
import type { PaymentRecord } from './payment.js';

/** Asks the platform what became of a payment, and takes the answer into the ledger. */
@Injectable()
export class PaymentReader {
  constructor(
    private readonly incomingPayments: IncomingPaymentsService,
    private readonly ledger: Ledger,
    private readonly pacer: BackgroundPacer,
  ) {}

  /** Resolves with the payment as the answer leaves it. */
  async read(payment: PaymentRecord & { platformId: string }): Promise<PaymentRecord> {
    const { platformId } = payment;
    const resource = await this.pacer.run(() => this.incomingPayments.get(platformId));
    return this.ledger.takeIncomingPayment(payment.id, resource, 'status');
  }
}

export function hasPlatformId(
  payment: PaymentRecord,
): payment is PaymentRecord & { platformId: string } {
  return payment.platformId !== null;
}
