import { Injectable } from '@nestjs/common';
import { KnownRecords } from '../ledger/known.records.js';
import type { PreparedChange } from '../ledger/ledger.commits.js';
import type { NewDelivery } from '../ledger/new-delivery.js';
import { OperationEvidenceService } from '../ledger/operation-evidence.service.js';
import { OperationKinds } from '../ledger/operation.kind.js';
import type { Operation } from '../ledger/operation.js';
import { PaymentsAccounts } from '../payments.accounts.js';
import { CallbackUrls } from '../resources/callback-urls.js';
import type { ResourceEnvelope } from '../resources/resource-envelope.js';
import { Runtime } from '../runtime/runtime.js';
import { TillLedger } from '../tills/till.ledger.js';
import { TillTransactionsService } from '../tills/till-transactions.service.js';
import { moneyKey } from '../transactions/transaction.sameness.js';
import { idIn } from './callback-id.js';
import type { Message } from './delivery.parser.js';

/** What this process knows about a delivery without a read. */
export type Prompt =
  /** What the delivery changes. The commit refuses it if another process has changed something. */
  | { kind: 'change'; prepared: PreparedChange }
  /** A commit that is under way changes what the delivery is about: ask again after it. */
  | { kind: 'changing'; until: Promise<unknown> }
  /** The transaction of a webhook probably belongs to this open operation: ask again after its next change. */
  | { kind: 'expected'; operation: Operation };

/**
 * Finds what a delivery changes from what this process wrote last. Most results come to the process that sent the create, within
 * minutes. Nothing here is a promise: without an answer, the delivery is processed in the usual way, with reads.
 */
@Injectable()
export class PromptChangesService {
  constructor(
    private readonly known: KnownRecords,
    private readonly kinds: OperationKinds,
    private readonly evidence: OperationEvidenceService,
    private readonly tillLedger: TillLedger,
    private readonly tillTransactions: TillTransactionsService,
    private readonly urls: CallbackUrls,
    private readonly accounts: PaymentsAccounts,
    private readonly runtime: Runtime,
  ) {}

  find(delivery: NewDelivery, message: Message): Prompt | null {
    // Without a signature, the platform must confirm the delivery.
    if (delivery.verifiedBy !== 'signature') return null;
    if (message.kind === 'result') return this.ofResult(delivery.account, message.resource);
    return message.kind === 'transaction' ? this.ofTransaction(delivery.account, message) : null;
  }

  private ofResult(account: string, envelope: ResourceEnvelope): Prompt | null {
    const kind = this.kinds.ofWireType(envelope.type);
    if (!kind) return null;
    const shown = kind.show(envelope);
    const operation =
      this.known.operationWithPlatformId(account, kind.name, shown.platformId) ??
      this.namedIn(account, kind.callbackResource, shown.callbackUrl);
    if (operation?.kind !== kind.name) return null;
    if ((operation.platformId ?? shown.platformId) !== shown.platformId) return null;
    const until = this.known.changingOperation(account, operation.id);
    if (until) return { kind: 'changing', until };
    const prepared = this.evidence.promptChange(operation, shown);
    return prepared && { kind: 'change', prepared };
  }

  /** The operation whose callback URL a result repeats. */
  private namedIn(
    account: string,
    resource: Parameters<CallbackUrls['callback']>[1],
    callbackUrl: string | null,
  ): Operation | null {
    const id = idIn(callbackUrl, resource);
    if (id === null || callbackUrl === null) return null;
    if (!this.urls.isHandedOut(account, resource, id, callbackUrl, true)) return null;
    return this.known.operation(account, id);
  }

  private ofTransaction(
    account: string,
    { transaction, reversal, eventId, at }: Message & { kind: 'transaction' },
  ): Prompt | null {
    const { dedupeForMs } = this.accounts.of(account).retention;
    const key = moneyKey(transaction);
    // Retention may have deleted the record of an older transaction.
    if (!key || reversal || at === null || this.runtime.now() - at.getTime() > dedupeForMs)
      return null;
    const until = this.known.changingTransaction(account, key.reference);
    if (until) return { kind: 'changing', until };
    const change = this.tillLedger.promptChange({
      account,
      via: 'webhook',
      transaction,
      reversal,
      webhookEventId: eventId,
      announce: true,
    });
    if (change) return { kind: 'change', prepared: { change } };
    if (this.known.transaction(account, key.reference)) return null;
    const operation = this.tillTransactions.expectedOwner(account, transaction);
    if (!operation) return null;
    const changing = this.known.changingOperation(account, operation.id);
    return changing ? { kind: 'changing', until: changing } : { kind: 'expected', operation };
  }
}
