import { Injectable } from '@nestjs/common';
import type { ArrivingDelivery } from '../ledger/arriving-delivery.js';
import { LedgerSignals } from '../ledger/ledger-commits.js';
import { OperationEvidenceService } from '../ledger/operation-evidence.service.js';
import {
  type OperationKind,
  OperationKinds,
  type ShownResource,
} from '../ledger/operation.kind.js';
import { BackgroundRequests } from '../platform/background-requests.js';
import { CallbackUrls } from '../platform/callback-urls.js';
import { PlatformClocks } from '../platform/platform-clock.js';
import type { ResourceEnvelope } from '../platform/wire-value.js';
import { DUE_AGAIN_MS } from '../tills/till-transactions.service.js';
import type { Runtime } from '../runtime/clock.js';
import { Recent } from '../runtime/recent.js';
import type { ClaimedDelivery, NewDelivery } from '../store/deliveries.store.js';
import type { Operation } from '../store/operation.js';
import { OperationsStore } from '../store/operations.store.js';
import { handedOutId } from './callback-id.js';
import {
  APPLIED,
  APPLIED_AND_DELETED,
  type DeliveryOutcome,
  UNMATCHED,
} from './delivery-outcome.js';
import type { Message } from './delivery-parser.js';

/** Applies results of operations that the platform posts to our callback URLs. */
@Injectable()
export class CallbackResultsService {
  constructor(
    private readonly operationsStore: OperationsStore,
    private readonly kinds: OperationKinds,
    private readonly evidence: OperationEvidenceService,
    private readonly signals: LedgerSignals,
    private readonly urls: CallbackUrls,
    private readonly background: BackgroundRequests,
    private readonly clocks: PlatformClocks,
  ) {}

  /** Applies the result of an operation. Null when it is the result of none. */
  async apply(
    delivery: ClaimedDelivery,
    envelope: ResourceEnvelope,
  ): Promise<DeliveryOutcome | null> {
    const kind = this.kinds.ofWireType(envelope.type);
    return kind ? this.applyToOperation(delivery, kind, kind.show(envelope)) : null;
  }

  /** Applies a signed result before it is stored, if it is that of an operation. If not, nothing happens. */
  async applyAtOnce(
    { account }: NewDelivery,
    envelope: ResourceEnvelope,
    arriving: ArrivingDelivery,
  ): Promise<void> {
    const kind = this.kinds.ofWireType(envelope.type);
    if (!kind) return;
    const result = kind.show(envelope);
    const operation = await this.operationOf(account, kind, result, true, arriving);
    if (operation) await this.evidence.apply(operation, result, 'callback', { arriving });
  }

  /** True when the result names an operation. */
  async isOfOperation(
    { account, verifiedBy }: ClaimedDelivery,
    { id: platformId, type, callbackUrl }: ResultName,
  ): Promise<boolean> {
    const kind = this.kinds.ofWireType(type);
    const isSigned = verifiedBy === 'signature';
    return (
      kind !== undefined &&
      (await this.operationOf(account, kind, { platformId, callbackUrl }, isSigned)) !== null
    );
  }

  private async applyToOperation(
    delivery: ClaimedDelivery,
    kind: OperationKind,
    result: ShownResource,
  ): Promise<DeliveryOutcome | null> {
    const { account } = delivery;
    const isSigned = delivery.verifiedBy === 'signature';
    const operation = await this.operationOf(account, kind, result, isSigned);
    if (!operation) return null;
    const outcome = operation.redacted ? APPLIED_AND_DELETED : APPLIED;
    if (isSigned) {
      await this.evidence.apply(operation, result, 'callback');
      return outcome;
    }
    // Without a signature only the URL is verified, not the body. So we read the resource from the platform and use its answer.
    if (operation.platformId !== null && mayBeDue(operation)) {
      await this.makeDue(operation, delivery);
      return outcome;
    }
    const asked = this.clocks.clock(account).moment();
    const answer = await this.background.confirm(account, 'confirmation', (permit) =>
      kind.read(account, operation.platformId ?? result.platformId, permit),
    );
    if ((await this.operationOf(account, kind, answer))?.id !== operation.id) return UNMATCHED;
    await this.evidence.apply(operation, answer, 'status', { ...asked(), isOfCallback: true });
    return outcome;
  }

  /**
   * Returns the operation of a result: the one of its kind with its platform id, else the operation without a platform id whose callback URL the
   * result repeats. The URL to which the result was posted is no proof, because the signature does not cover it.
   */
  private async operationOf(
    account: string,
    { name, callbackResource }: OperationKind,
    { platformId, callbackUrl }: Pick<ShownResource, 'platformId' | 'callbackUrl'>,
    isSigned = false,
    arriving?: ArrivingDelivery,
  ): Promise<Operation | null> {
    const existing = await (arriving?.operationWithPlatformId(name, platformId) ??
      this.operationsStore.findByPlatformId(account, name, platformId));
    if (existing) return existing;
    const ownId = handedOutId(this.urls, account, callbackResource, callbackUrl, isSigned);
    if (ownId === null) return null;
    const operation = await (arriving?.operation(ownId) ??
      this.operationsStore.find(account, ownId));
    if (operation?.kind !== name) return null;
    return (operation.platformId ?? platformId) === platformId ? operation : null;
  }

  /** Makes an operation due for a read, so that its callback does not block other callbacks meanwhile. */
  private async makeDue(operation: Operation, { id }: ClaimedDelivery): Promise<void> {
    await this.operationsStore.makeDue(operation.account, [operation.id], {
      cause: `callback ${id}`,
      againAfterMs: DUE_AGAIN_MS,
    });
    this.signals.due$.next();
  }
}

/** True when `makeDue` has an effect. An operation that succeeded has no scheduled reads, so its callback is confirmed at once. */
function mayBeDue({ state }: Operation): boolean {
  return state !== 'succeeded' && state !== 'reversed';
}

/** A smaller body is parsed in less time than it takes to look what it names up. */
export const LARGE_BODY_BYTES = 16 * 1024;

/** Longer names are not kept: ours are shorter. */
const LONGEST_NAME = 512;

/** A result has these names. We find its operation or request by them. */
export interface ResultName {
  id: string;
  type: string;
  callbackUrl: string | null;
}

/** Keeps the names in large results for which this process has found no operation. So they are not parsed again until there is one. */
export class UnmatchedResults {
  private readonly names: Recent<ResultName>;

  constructor(runtime: Pick<Runtime, 'elapsed'>) {
    this.names = new Recent(runtime);
  }

  nameIn({ id }: ClaimedDelivery): ResultName | null {
    return this.names.get(id);
  }

  keep({ id, body }: ClaimedDelivery, message: Message): void {
    if (message.kind !== 'result' || body.length < LARGE_BODY_BYTES) return;
    const { id: platformId, type, links } = message.resource;
    const { callbackUrl } = links;
    if (type.length + (callbackUrl?.length ?? 0) <= LONGEST_NAME)
      this.names.put(id, { id: platformId, type, callbackUrl });
  }

  /** Keeps the name of a result for the next retry, too. */
  keepOn({ id }: ClaimedDelivery, name: ResultName): void {
    this.names.put(id, name);
  }

  delete({ id }: ClaimedDelivery): void {
    this.names.delete(id);
  }
}
