import { Injectable } from '@nestjs/common';
import { BackgroundPacer, type BackgroundRequest } from '../http/background.pacer.js';
import { PlatformClock } from '../http/platform.clock.js';
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
    private readonly clock: PlatformClock,
  ) {}

  /** Resolves with the payment as the answer leaves it. Nothing is asked if it has settled before its turn came. */
  async read(
    payment: PaymentRecord & { platformId: string },
    kind: BackgroundRequest,
  ): Promise<PaymentRecord> {
    const { id, platformId, state } = payment;
    return this.pacer.run(kind, async () => {
      const current = await this.ledger.payment(id);
      if (current.state !== state) return current;
      const askedAt = this.clock.now();
      const resource = await this.incomingPayments.get(platformId);
      return this.ledger.takeIncomingPayment(id, resource, 'status', askedAt);
    });
  }
}

export function hasPlatformId(
  payment: PaymentRecord,
): payment is PaymentRecord & { platformId: string } {
  return payment.platformId !== null;
}
