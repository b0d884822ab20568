import { Injectable } from '@nestjs/common';
import { PlatformClocks } from '../../http/platform.clock.js';
import { Ledger } from '../../ledger/ledger.js';
import type { OperationKey } from '../../ledger/operation.js';
import type { IncomingPayment } from '../../resources/incoming-payments/incoming-payment.resource.js';
import { movementOf, type NamedTransaction } from '../../resources/transaction.resource.js';
import { TransactionObserver } from '../../transactions/observed-transaction.js';
import type { PaymentEvidence } from './payment.assessment.js';
import type { PaymentRecord } from './payment.js';

/** Applies evidence of the platform to payments. */
@Injectable()
export class PaymentEvidenceService {
  constructor(
    private readonly ledger: Ledger<PaymentRecord>,
    private readonly transactions: TransactionObserver,
    private readonly clocks: PlatformClocks,
  ) {}

  /**
   * Applies the result of a payment request, from a callback or a status read.
   * @param askedAt when the read started, by the platform's clock: a read can deny only transactions from before that time
   */
  async apply(
    key: OperationKey,
    incomingPayment: IncomingPayment,
    via: 'callback' | 'status',
    askedAt: Date = this.clocks.of(key.account).now(),
  ): Promise<PaymentRecord> {
    const transaction = incomingPayment.event.resource;
    const payment = await this.ledger.apply(key, {
      via,
      platformId: incomingPayment.id,
      askedAt,
      transaction,
      content: { incomingPayment } satisfies PaymentEvidence,
    });
    if (!transaction || movementOf(transaction.status) !== 'reversed') return payment;
    // The reversal is also stored with the transaction, so that a person who reviews the payment sees it.
    await this.transactions.observe({
      account: key.account,
      via,
      transaction,
      reversal: true,
      webhookEventId: null,
      announce: false,
    });
    return this.ledger.find(key);
  }

  /** Applies a transaction that was matched to a payment without a platform id. */
  async applyMatched(key: OperationKey, transaction: NamedTransaction): Promise<PaymentRecord> {
    return this.ledger.apply(key, {
      via: 'sweep',
      platformId: null,
      askedAt: this.clocks.of(key.account).now(),
      transaction,
      content: { matched: transaction } satisfies PaymentEvidence,
    });
  }
}
