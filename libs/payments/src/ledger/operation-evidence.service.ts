import { Injectable } from '@nestjs/common';
import { BackgroundRequests } from '../platform/background-requests.js';
import { PlatformClocks } from '../platform/platform-clock.js';
import type { BackgroundRequest } from '../runtime/limits.js';
import type { Operation } from '../store/operation.js';
import { type ArrivingDelivery, TransactionObserver } from './arriving-delivery.js';
import { Ledger } from './ledger.js';
import { OperationKinds, type ShownResource } from './operation.kind.js';

/** The source in which evidence was shown. */
interface ShownIn {
  /** The time at which the read started, by the platform's clock. A read can deny only transactions from before that time. Absent: now. */
  askedAt?: Date;
  /** True when that clock is known. Absent: as it is now. */
  isDated?: boolean;
  /** True when a callback has caused the read. */
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
    const reversal = this.kinds.kind(operation).reversalIn(operation, shown);
    const clock = this.clocks.clock(operation.account);
    const { askedAt = clock.now(), isDated = clock.isKnown, isOfCallback, arriving } = shownIn;
    const when = { askedAt, isDated, ...(isOfCallback && { isOfCallback }) };
    const apply = (): Promise<O> =>
      this.ledger.apply(operation, { via, platformId, ...when, transaction, content }, arriving);
    if (!reversal) return apply();
    // A reversal takes two commits, and an arriving delivery has only one.
    if (arriving) return operation;
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

  /** True when a resource is that of an operation now. Another process may have stored its platform id since it was found. */
  private async isOf(operation: O, platformId: string): Promise<boolean> {
    const current = await this.ledger.find(operation);
    return current.platformId === null || current.platformId === platformId;
  }
}

/** Reads the resource of an operation from the platform, and applies it. */
@Injectable()
export class OperationReader<O extends Operation = Operation> {
  constructor(
    private readonly kinds: OperationKinds,
    private readonly ledger: Ledger<O>,
    private readonly evidence: OperationEvidenceService<O>,
    private readonly background: BackgroundRequests,
    private readonly clocks: PlatformClocks,
  ) {}

  /** Resolves with the operation after the read. It sends no request if the state has changed while the request waited. */
  async read(operation: O & { platformId: string }, kind: BackgroundRequest): Promise<O> {
    const { account, platformId, state } = operation;
    return this.background.run(account, kind, async (permit) => {
      const current = await this.ledger.find(operation);
      if (current.state !== state) return current;
      const asked = this.clocks.clock(account).moment();
      const shown = await this.kinds.kind(operation).read(account, platformId, permit);
      return this.evidence.apply(current, shown, 'status', asked());
    });
  }
}

export function hasPlatformId<O extends Operation>(
  operation: O,
): operation is O & { platformId: string } {
  return operation.platformId !== null;
}
