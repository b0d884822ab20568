import { Injectable } from '@nestjs/common';
import { BackgroundRequests } from '../../http/background-requests.js';
import { PlatformClocks } from '../../http/platform.clock.js';
import { Ledger } from '../../ledger/ledger.js';
import { Resources } from '../../resources/resources.js';
import type { BackgroundRequest } from '../../runtime/rate.limiter.js';
import { PaymentEvidenceService } from './payment-evidence.service.js';
import type { PaymentRecord } from './payment.js';

/** Reads the status of a payment from the platform, and applies it. */
@Injectable()
export class PaymentReader {
  constructor(
    private readonly resources: Resources,
    private readonly ledger: Ledger<PaymentRecord>,
    private readonly evidence: PaymentEvidenceService,
    private readonly background: BackgroundRequests,
    private readonly clocks: PlatformClocks,
  ) {}

  /** Resolves with the payment after the read. It sends no request if the state has changed while the request waited. */
  async read(
    payment: PaymentRecord & { platformId: string },
    kind: BackgroundRequest,
  ): Promise<PaymentRecord> {
    const { account, platformId, state } = payment;
    return this.background.run(account, kind, async () => {
      const current = await this.ledger.find(payment);
      if (current.state !== state) return current;
      const askedAt = this.clocks.of(account).now();
      const resource = await this.resources.of(account).incomingPayments.get(platformId);
      return this.evidence.apply(payment, resource, 'status', askedAt);
    });
  }
}

export function hasPlatformId(
  payment: PaymentRecord,
): payment is PaymentRecord & { platformId: string } {
  return payment.platformId !== null;
}
