import { Injectable } from '@nestjs/common';
import { KnownRecords } from '../ledger/known.records.js';
import type { PreparedChange } from '../ledger/ledger.commits.js';
import { OperationEvidenceService } from '../ledger/operation-evidence.service.js';
import { OperationKinds, type OperationKind } from '../ledger/operation.kind.js';
import type { ResourceEnvelope } from '../money/resource-envelope.js';
import { moneyKey } from '../money/transaction.sameness.js';
import { OperationsStore } from '../store/operations.store.js';
import { CallbackUrls } from '../work/callback-urls.js';
import { handedOutId } from './callback-id.js';

/** What this process knows about a delivery without a read. */
export type Prompt =
  /** What the delivery changes. The commit refuses it if another process has changed something. */
  | { kind: 'change'; prepared: PreparedChange }
  /** A commit that is under way changes what the delivery is about: ask again after it. */
  | { kind: 'changing'; until: Promise<unknown> };

/** Finds what the signed result of an operation changes, from what this process wrote last. */
@Injectable()
export class PromptResultsService {
  constructor(
    private readonly known: KnownRecords,
    private readonly operationsStore: OperationsStore,
    private readonly kinds: OperationKinds,
    private readonly evidence: OperationEvidenceService,
    private readonly urls: CallbackUrls,
  ) {}

  /** What a result changes. */
  find(account: string, envelope: ResourceEnvelope): Prompt | null {
    const kind = this.kinds.ofWireType(envelope.type);
    if (!kind) return null;
    const shown = kind.show(envelope);
    let operation = this.known.operationWithPlatformId(account, kind.name, shown.platformId);
    const ownId = operation ? null : this.idIn(account, kind, shown.callbackUrl);
    if (ownId !== null) operation = this.known.operation(account, ownId);
    if (operation?.kind !== kind.name) return null;
    if ((operation.platformId ?? shown.platformId) !== shown.platformId) return null;
    const until = this.known.changingOperation(account, operation.id);
    if (until) return { kind: 'changing', until };
    const money = shown.transaction && moneyKey(shown.transaction);
    const known = money && this.known.transaction(account, money.reference);
    const prepared = this.evidence.promptChange(operation, shown, known);
    return prepared && { kind: 'change', prepared };
  }

  /**
   * Reads the operation whose callback URL a result repeats, if this process does not know it: another process has sent it, or this
   * one before a restart. To read first and store once costs less than to store twice. Whether it is known now.
   */
  async learnOperationOf(account: string, { type, links }: ResourceEnvelope): Promise<boolean> {
    const kind = this.kinds.ofWireType(type);
    const id = kind && this.idIn(account, kind, links.callbackUrl);
    if (!id || this.known.operation(account, id)) return false;
    const operation = await this.operationsStore.find(account, id);
    if (operation && !this.known.operation(account, id)) this.known.keep(operation);
    return operation !== null;
  }

  /** The id in a callback URL of ours that a signed result repeats. */
  private idIn(account: string, kind: OperationKind, callbackUrl: string | null): string | null {
    return handedOutId(this.urls, account, kind.callbackResource, callbackUrl, true);
  }
}
