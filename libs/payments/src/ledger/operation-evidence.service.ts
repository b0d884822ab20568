import { Injectable } from '@nestjs/common';
import { PlatformClocks } from '../work/platform-clock.js';
import { TransactionObserver } from './observed-transaction.js';
import type { ArrivingDelivery } from './arriving-delivery.js';
import { Ledger } from './ledger.js';
import { OperationKinds, type ShownResource } from './operation.kind.js';
import type { Operation } from '../store/operation.js';

/** Where evidence was shown. */
export interface ShownIn {
  /** When the read started, by the platform's clock: a read can deny only transactions from before that time. Absent: now. */
  askedAt?: Date;
  /** Whether that clock is known. Absent: as it is now. */
  isDated?: boolean;
  /** Whether a callback has caused the read. */
  isOfCallback?: boolean;
  /** The delivery that shows it, if it is not stored yet. */
  arriving?: ArrivingDelivery | undefined;
}

/** Applies what the platform shows about the resource of an operation, from a callback or a status read. */
@Injectable()
export class OperationEvidenceService<O extends Operation = Operation> {
  constructor(
    private readonly ledger: Ledger<O>,
    private readonly kinds: OperationKinds,
    private readonly transactions: TransactionObserver,
    private readonly clocks: PlatformClocks,
  ) {}

  /** Resolves with the operation after the evidence. */
  async apply(
    operation: O,
    shown: ShownResource,
    via: 'callback' | 'status',
    shownIn: ShownIn = {},
  ): Promise<O> {
    const { platformId, transaction, content } = shown;
    const reversal = this.kinds.of(operation).reversalIn(operation, shown);
    const clock = this.clocks.of(operation.account);
    const { askedAt = clock.now(), isDated = clock.isKnown, isOfCallback, arriving } = shownIn;
    const when = { askedAt, isDated, ...(isOfCallback && { isOfCallback }) };
    const apply = (): Promise<O> =>
      this.ledger.apply(operation, { via, platformId, ...when, transaction, content }, arriving);
    if (!reversal) return apply();
    arriving?.mustBeStored();
    // A refund reverses another operation. The reversal is stored first: if this process stops, the refund is still open, and its
    // next read stores the reversal again.
    const isOwn = transaction !== null && transaction.reference === reversal.reference;
    if (isOwn) await apply();
    else if (!(await this.isOf(operation, platformId))) return apply();
    else if ((await this.ledger.transfersOfOthers(operation, content)).size > 0) return apply();
    await this.transactions.observe({
      account: operation.account,
      via,
      transaction: reversal,
      reversal: true,
      webhookEventId: null,
      announce: false,
    });
    return isOwn ? this.ledger.find(operation) : apply();
  }

  /** Whether a resource is that of an operation now: another process may have stored its platform id since it was found. */
  private async isOf(operation: O, platformId: string): Promise<boolean> {
    const current = await this.ledger.find(operation);
    return current.platformId === null || current.platformId === platformId;
  }
}
