import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { accountAttributes, AccountRegistry } from '../accounts/account-registry.js';
import { ArrivingDelivery } from '../ledger/arriving-delivery.js';
import { RecentRecords } from '../ledger/recent-records.js';
import { LedgerCommits, LedgerSignals } from '../ledger/ledger-commits.js';
import { LIMITS } from '../payments-defaults.js';
import { StoreUnavailableError } from '../payments.errors.js';
import { sealUrlMacs } from '../platform/callback-urls.js';
import { sealCardNumbers } from '../platform/card-number-sealing.js';
import { PlatformClocks } from '../platform/platform-clock.js';
import { Runtime } from '../runtime/clock.js';
import { SafeLogger } from '../runtime/logging.js';
import { HeldBytes } from '../runtime/recent.js';
import { ATTRIBUTE, METRICS } from '../runtime/telemetry/metrics-list.js';
import { count } from '../runtime/telemetry/metrics.js';
import { currentTraceparent, inSpan, linkActiveSpan } from '../runtime/telemetry/spans.js';
import { DeliveriesStore, type NewDelivery } from '../store/deliveries.store.js';
import type { CommitWithDelivery } from '../store/ledger.store.js';
import { OperationsStore } from '../store/operations.store.js';
import { boundedBody, type Message, parseDelivery } from './delivery-parser.js';
import { DeliveryProcessor } from './delivery-processor.js';
import { MessageApplier } from './message-applier.js';

/** A delivery waits at most this long in all: a row that another transaction holds, or a store that hangs, must not keep it from being stored. */
const LONGEST_WAIT_MS = 250;

/**
 * Applies deliveries before they are stored, so that one commit does both. Nothing here is a promise: what cannot be applied in one commit is
 * stored, and applied then. So a fault here loses no delivery.
 */
@Injectable()
export class ImmediateApplier {
  private readonly logger = new SafeLogger();

  constructor(
    private readonly applier: MessageApplier,
    private readonly records: RecentRecords,
    private readonly operations: OperationsStore,
    private readonly commits: LedgerCommits,
    private readonly signals: LedgerSignals,
    private readonly accounts: AccountRegistry,
    private readonly runtime: Runtime,
  ) {}

  /** Returns what has become of a delivery; undefined when it is not stored. @throws StoreUnavailableError when its commit failed */
  async apply(delivery: NewDelivery, message: Message): Promise<CommitWithDelivery | undefined> {
    // Without a signature, the platform must confirm the delivery.
    if (delivery.verifiedBy !== 'signature') return undefined;
    const { records, operations, commits, signals, runtime } = this;
    const { tillAliases } = this.accounts.settings(delivery.account);
    const parts = { records, operations, commits, signals, tillAliases, runtime };
    const arriving = new ArrivingDelivery(delivery, parts);
    const applied = this.applyOnce(delivery, message, arriving);
    if (await runtime.endsWithin(applied, LONGEST_WAIT_MS)) return arriving.result;
    if (!arriving.endWaits()) return undefined;
    await applied;
    return arriving.result;
  }

  private async applyOnce(
    delivery: NewDelivery,
    message: Message,
    arriving: ArrivingDelivery,
  ): Promise<void> {
    const { account, kind, id } = delivery;
    try {
      await this.applier.applyAtOnce(delivery, message, arriving);
    } catch (error) {
      if (error instanceof StoreUnavailableError && arriving.hasBegunCommit) throw error;
      this.logger.seldom(
        'error',
        'not applied',
        `a ${kind} could not be applied at once, and is to be stored first: ${String(error)}`,
        { account, deliveryId: id },
        error instanceof Error ? error.stack : undefined,
      );
    }
  }
}

/** A verified POST of the platform. */
export type VerifiedDelivery = Pick<
  NewDelivery,
  'account' | 'kind' | 'resource' | 'resourceId' | 'verifiedBy' | 'body'
>;

/** Stores verified deliveries before they are answered. */
@Injectable()
export class Inbox {
  private readonly arriving = new HeldBytes();

  constructor(
    private readonly deliveriesStore: DeliveriesStore,
    private readonly immediate: ImmediateApplier,
    private readonly processor: DeliveryProcessor,
    private readonly accounts: AccountRegistry,
    private readonly clocks: PlatformClocks,
    private readonly runtime: Runtime,
  ) {}

  /**
   * Stores a delivery. When this resolves, the delivery may be answered with 2xx.
   * @throws StoreUnavailableError when the store did not store it in time: the answer must be 503
   */
  async accept(delivery: VerifiedDelivery): Promise<void> {
    const { account, kind } = delivery;
    const attributes = { [ATTRIBUTE.account]: account, [ATTRIBUTE.deliveryKind]: kind };
    await inSpan({ name: `receive ${kind}`, kind: 'server', attributes }, () =>
      this.acceptInSpan(delivery),
    );
  }

  private async acceptInSpan(delivery: VerifiedDelivery): Promise<void> {
    const { account, body } = delivery;
    if (!this.arriving.fits(account, body.length)) {
      this.count(delivery, 'unavailable');
      throw new StoreUnavailableError(
        `too many large deliveries of account ${account} are being stored`,
      );
    }
    this.arriving.add(account, body.length);
    try {
      await this.storeInTime(delivery);
    } finally {
      this.arriving.remove(account, body.length);
    }
  }

  private async storeInTime(delivery: VerifiedDelivery): Promise<void> {
    // The account was closed since the delivery was verified.
    if (!this.accounts.has(delivery.account))
      throw new StoreUnavailableError(`account ${delivery.account} was removed`);
    const { urlSecrets } = this.accounts.settings(delivery.account);
    // The signature was verified before, over the bytes as they came. Nothing reads the texts of a body with too many of them.
    const bounded = boundedBody(delivery.body);
    // A key over a card number would let somebody compute the number.
    const withoutCards = { ...delivery, body: sealed(bounded, sealCardNumbers) };
    // The MACs of our URLs are secrets.
    const body =
      urlSecrets.length === 0 ? withoutCards.body : sealed(withoutCards.body, sealUrlMacs);
    const id = this.runtime.id();
    linkActiveSpan(undefined, { [ATTRIBUTE.deliveryId]: id });
    const traceparent = currentTraceparent();
    const stored = this.store({
      ...delivery,
      body,
      key: keyOf(withoutCards),
      id,
      ...(traceparent !== undefined && { traceparent }),
    });
    try {
      const isDuplicate = await this.runtime.inTime(
        stored,
        LIMITS.storeMs,
        () => new Error(`it did not answer in ${LIMITS.storeMs} ms`),
      );
      this.count(delivery, isDuplicate ? 'duplicate' : 'accepted');
    } catch (error) {
      this.count(delivery, 'unavailable');
      throw unavailable(error);
    }
  }

  private count({ account, kind }: VerifiedDelivery, verdict: string): void {
    count(METRICS.deliveries, {
      [ATTRIBUTE.deliveryKind]: kind,
      [ATTRIBUTE.deliveryVerdict]: verdict,
      ...accountAttributes(this.accounts, account),
    });
  }

  /** Stores a delivery: together with what it changes if one commit can do that, else for the processor. Returns true for a duplicate. */
  private async store(delivery: NewDelivery): Promise<boolean> {
    if (!this.processor.isWorkingFor(delivery)) {
      // It is not parsed: its processing is the work of another process.
      return (await this.deliveriesStore.store(delivery)).duplicate;
    }
    const { acceptedStatuses } = this.accounts.settings(delivery.account).deliveries;
    const latest = this.clocks.clock(delivery.account).latestTime();
    const message = parseDelivery(delivery.body, { accepted: acceptedStatuses, latest });
    const result = await this.immediate.apply(delivery, message);
    if (result?.kind === 'stored') this.processor.take(delivery, message, result);
    // A duplicate is counted where deliveries are stored.
    if (result && result.kind !== 'duplicate') return false;
    const leaseMs = this.processor.reserve(delivery);
    const { claimed, duplicate } = await this.deliveriesStore
      .store(delivery, leaseMs)
      .finally(() => leaseMs !== undefined && this.processor.release(delivery));
    if (claimed) {
      this.processor.take(delivery, message, claimed);
      return duplicate;
    }
    this.processor.leave(delivery, leaseMs === undefined);
    return duplicate;
  }
}

function sealed(body: Buffer, seal: (text: string) => string): Buffer {
  const text = body.toString('latin1');
  const stored = seal(text);
  return stored === text ? body : Buffer.from(stored, 'latin1');
}

/**
 * Returns the key by which duplicates are found. With a signature, the same bytes are one delivery at any URL. Without one, the URL is the proof, so
 * it is part of the key.
 */
function keyOf({ kind, resource, resourceId, verifiedBy, body }: VerifiedDelivery): string {
  const by = verifiedBy === 'url' ? [verifiedBy, kind, resource, resourceId] : [verifiedBy];
  return createHash('sha256')
    .update(`${by.join('/')}\n`)
    .update(body)
    .digest('hex');
}

/** Any failure means that the delivery is not stored, so that the platform must send it again. */
function unavailable(error: unknown): StoreUnavailableError {
  if (error instanceof StoreUnavailableError) return error;
  return new StoreUnavailableError(error instanceof Error ? error.message : 'it failed');
}
