import { Injectable } from '@nestjs/common';
import { BackgroundRequests, type Turn } from '../work/background-requests.js';
import { PlatformClocks } from '../work/platform.clock.js';
import { LedgerSignals } from '../ledger/ledger.signals.js';
import { OperationEvidenceService } from '../ledger/operation-evidence.service.js';
import {
  OperationKinds,
  type OperationKind,
  type ShownResource,
} from '../ledger/operation.kind.js';
import type { Operation } from '../store/operation.js';
import { OperationsStore } from '../store/operations.store.js';
import {
  BARE_PREFIX,
  CallbackUrls,
  SWEEP_PREFIX,
  type CallbackResource,
} from '../work/callback-urls.js';
import type { ResourceEnvelope } from '../money/resource-envelope.js';
import { Resources } from '../platform/resources.js';
import { DELIVERY_WORK, TILL_MONEY } from '../work/backoff.js';
import { Runtime } from '../work/runtime.js';
import { TillLedger } from '../tills/till.ledger.js';
import { idIn } from './callback-id.js';
import { BARE_RESULTS, type BareResults } from './bare-results.js';
import type { DeliveryRecord } from '../store/deliveries.store.js';
import { APPLIED, type DeliveryOutcome } from './delivery.outcome.js';

const UNMATCHED: DeliveryOutcome = {
  kind: 'unmatched',
  why: 'it names no operation or request of this account',
};

/** Applies results that the platform posts to our callback URLs. */
@Injectable()
export class CallbackResultsService {
  constructor(
    private readonly operationsStore: OperationsStore,
    private readonly kinds: OperationKinds,
    private readonly evidence: OperationEvidenceService,
    private readonly tillLedger: TillLedger,
    private readonly signals: LedgerSignals,
    private readonly urls: CallbackUrls,
    private readonly background: BackgroundRequests,
    private readonly resources: Resources,
    private readonly runtime: Runtime,
    private readonly clocks: PlatformClocks,
  ) {}

  async apply(delivery: DeliveryRecord, envelope: ResourceEnvelope): Promise<DeliveryOutcome> {
    const kind = this.kinds.ofWireType(envelope.type);
    const applied = kind && (await this.applyToOperation(delivery, kind, kind.show(envelope)));
    if (applied) return applied;
    const results = BARE_RESULTS.find(({ types }) => types.includes(envelope.type));
    return results
      ? this.applyBareResult(delivery, envelope, results)
      : { kind: 'unrecognised', why: `type ${envelope.type} is not known` };
  }

  /** Applies the result of an operation. Null when it is the result of no operation. */
  private async applyToOperation(
    delivery: DeliveryRecord,
    kind: OperationKind,
    result: ShownResource,
  ): Promise<DeliveryOutcome | null> {
    const { account } = delivery;
    const isSigned = delivery.verifiedBy === 'signature';
    const operation = await this.operationOf(account, kind, result, isSigned);
    if (!operation) return null;
    if (isSigned) {
      await this.evidence.apply(operation, result, 'callback');
      return APPLIED;
    }
    // Without a signature only the URL is verified, not the body. So we read the resource from the platform and use its answer.
    if (operation.platformId !== null && mayBeDue(operation))
      return this.makeDue(operation, delivery);
    const askedAt = this.clocks.of(account).now();
    const answer = await this.confirmed(account, (turn) =>
      kind.read(account, operation.platformId ?? result.platformId, turn),
    );
    if ((await this.operationOf(account, kind, answer))?.id !== operation.id) return UNMATCHED;
    await this.evidence.apply(operation, answer, 'status', askedAt);
    return APPLIED;
  }

  /**
   * The operation of a result: the one of its kind with its platform id, else the operation without a platform id whose callback URL the
   * result repeats. The URL to which the result was posted is no proof, because the signature does not cover it.
   */
  private async operationOf(
    account: string,
    { name, callbackResource }: OperationKind,
    { platformId, callbackUrl }: ShownResource,
    isSigned = false,
  ): Promise<Operation | null> {
    const known = await this.operationsStore.findByPlatformId(account, name, platformId);
    if (known) return known;
    const ownId = idIn(callbackUrl, callbackResource);
    if (ownId === null || !this.isHandedOut(account, callbackResource, { callbackUrl }, isSigned))
      return null;
    const operation = await this.operationsStore.find(account, ownId);
    return operation?.kind === name && operation.platformId === null ? operation : null;
  }

  /** Applies the result of a bare request: one event for each id, once it is final. Results of our own sweeps emit no event. */
  private async applyBareResult(
    { account, verifiedBy }: DeliveryRecord,
    envelope: ResourceEnvelope,
    { resource, read, get }: BareResults,
  ): Promise<DeliveryOutcome> {
    const ownId = idIn(envelope.links.callbackUrl, resource);
    if (ownId?.startsWith(SWEEP_PREFIX)) return APPLIED;
    if (!ownId?.startsWith(BARE_PREFIX)) return UNMATCHED;
    const isSigned = verifiedBy === 'signature';
    const result = isSigned
      ? read(envelope)
      : await this.confirmed(account, (turn) => get(this.resources.of(account, turn), envelope.id));
    if (!result.isFinal) return APPLIED;
    if (!this.isHandedOut(account, resource, result.links, isSigned)) return UNMATCHED;
    await this.tillLedger.applyBareResult(result.event(account), ownId, result.transaction);
    return APPLIED;
  }

  private isHandedOut(
    account: string,
    resource: CallbackResource,
    { callbackUrl }: { callbackUrl: string | null },
    isSigned: boolean,
  ): boolean {
    const ownId = idIn(callbackUrl, resource);
    return (
      ownId !== null &&
      callbackUrl !== null &&
      this.urls.isHandedOut(account, resource, ownId, callbackUrl, isSigned)
    );
  }

  /** Makes an operation due for a read, so that its callback does not block other callbacks meanwhile. */
  private async makeDue(operation: Operation, { id }: DeliveryRecord): Promise<DeliveryOutcome> {
    await this.operationsStore.makeDue(operation.account, [operation.id], {
      cause: `callback ${id}`,
      againAfterMs: TILL_MONEY.dueAgainMs,
    });
    this.signals.due$.next();
    return APPLIED;
  }

  /** Reads from the platform, for less time than the lease of a delivery. A delivery whose read takes longer is retried. */
  private confirmed<T>(account: string, read: (turn: Turn) => Promise<T>): Promise<T> {
    return this.runtime.inTime(
      this.background.run(account, 'confirmation', read),
      DELIVERY_WORK.confirmWithinMs,
      () => new Error('the platform could not be read in time'),
    );
  }
}

/** Whether `makeDue` has an effect. An operation that succeeded has no scheduled reads, so its callback is confirmed at once. */
function mayBeDue({ state }: Operation): boolean {
  return state !== 'succeeded' && state !== 'reversed';
}
