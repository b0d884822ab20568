import { Inject, Injectable, Logger } from '@nestjs/common';
import { RESOLVED_OPTIONS } from '../payments.constants.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import type { Transaction } from '../resources/transaction.resource.js';
import { Runtime } from '../runtime/runtime.js';
import { comparePhone } from '../values/phone-number.js';
import { minorOf, type TillSighting } from './ledger.changes.js';
import { Ledger } from './ledger.js';
import type { PaymentRecord } from './payment.js';
import { hasPlatformId, PaymentReader } from './payment.reader.js';
import { isOpen } from './payment.states.js';
import { PaymentsStore } from './payments.store.js';
import { moneyKey } from './till-transaction.js';

/** How long the telling of a transaction may wait for the payment that it may be the money of. */
const WAIT_FOR_PAYMENT_MS = 10_000;

/** A till and amount that very many wait for is read for the oldest few; the rest is read on schedule. */
const MOST_READS = 5;

/** How taking a transaction ended. */
export type TakenTransaction =
  | { kind: 'taken' }
  /** It names neither a reference nor an id, or no till: it cannot be told from other money. */
  | { kind: 'nameless' }
  /** A payment that it may be the money of has no answer yet: come again in a moment. */
  | { kind: 'wait' };

/**
 * Takes transactions of tills from webhooks and sweeps. Before money is told, payments that may be its cause are read, so
 * that whoever hears of it knows whose it is.
 */
@Injectable()
export class TillTransactionsLedger {
  private readonly logger = new Logger('Tillkit');

  constructor(
    private readonly ledger: Ledger,
    private readonly reader: PaymentReader,
    private readonly store: PaymentsStore,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
    private readonly runtime: Runtime,
  ) {}

  /** @param waitedMs milliseconds since the news came: after ten seconds it is told as it is */
  async take(sighting: TillSighting, waitedMs: number): Promise<TakenTransaction> {
    const { transaction, announce, reversal } = sighting;
    const key = moneyKey(transaction, this.options.tillAliases);
    if (!key) return { kind: 'nameless' };
    const known = await this.store.findTransaction(this.options.account, key);
    if (announce && !reversal && !known?.announced && !known?.paymentId) {
      const settled = await this.readCandidates(transaction, key.tillKey, waitedMs);
      if (!settled && waitedMs < WAIT_FOR_PAYMENT_MS) return { kind: 'wait' };
    }
    await this.ledger.takeTillTransaction(sighting, known);
    return { kind: 'taken' };
  }

  /** Reads open payments that this may be the money of. False while one of the same payer still has no outcome. */
  private async readCandidates(
    transaction: Transaction,
    tillKey: string,
    waitedMs: number,
  ): Promise<boolean> {
    const amountMinor = minorOf(transaction);
    const { currency } = transaction;
    if (amountMinor === null || currency === null) return true;
    const open = await this.store.findOpenPayments(this.options.account, {
      tillKey,
      currency,
      amountMinor,
    });
    const candidates = open.filter((payment) => payer(payment, transaction) !== 'different');
    const reads = candidates.filter(hasPlatformId).slice(0, MOST_READS);
    // What comes late enough not to wait is still read for: only coming again is left out.
    const patience =
      waitedMs < WAIT_FOR_PAYMENT_MS ? WAIT_FOR_PAYMENT_MS - waitedMs : WAIT_FOR_PAYMENT_MS;
    const read = await Promise.all(reads.map((payment) => this.read(payment, patience)));
    const sent = candidates.filter((payment) => !hasPlatformId(payment));
    for (const payment of sent.filter(({ state }) => state === 'unknown')) {
      await this.store.schedulePayment(payment.account, payment.id, { inMs: 0 });
    }
    const undecided = [
      ...read.filter(({ state }) => isOpen(state)),
      ...sent.filter(({ state }) => state === 'requested'),
    ];
    return !undecided.some((payment) => payer(payment, transaction) === 'same');
  }

  private async read(
    payment: PaymentRecord & { platformId: string },
    patienceMs: number,
  ): Promise<PaymentRecord> {
    try {
      return await this.runtime.inTime(
        this.reader.read(payment),
        patienceMs,
        () => new Error('the platform took too long'),
      );
    } catch (error) {
      this.logger.debug(
        `payment ${payment.id} could not be read for a transaction of its till: ${String(error)}`,
      );
      await this.store.schedulePayment(payment.account, payment.id, { inMs: 0 });
      return payment;
    }
  }
}

function payer(
  payment: PaymentRecord,
  { senderPhoneNumber, hashedSenderPhone }: Transaction,
): 'same' | 'different' | 'unreadable' {
  return comparePhone(payment.subscriber.phoneNumber, {
    phoneNumber: senderPhoneNumber,
    hashedPhone: hashedSenderPhone,
  });
}
