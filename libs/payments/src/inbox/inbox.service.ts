import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { NewDelivery } from '../store/new-delivery.js';
import { StoreUnavailableError } from '../payments.errors.js';
import { LIMITS } from '../payments-defaults.js';
import { sealCardNumbers } from '../platform/card-number-sealing.js';
import { HeldBytes } from '../work/held-bytes.js';
import { KnownAccounts } from '../work/known-accounts.js';
import { PlatformClocks } from '../work/platform-clock.js';
import { sealUrlMacs } from '../work/url-mac-sealing.js';
import { Runtime } from '../work/runtime.js';
import { accountAttributes } from '../work/telemetry/account-attributes.js';
import { METRICS } from '../work/telemetry/metrics-list.js';
import { count } from '../work/telemetry/metrics.js';
import { inSpan, linkActiveSpan } from '../work/telemetry/spans.js';
import { ATTRIBUTE } from '../work/telemetry/telemetry-names.js';
import { currentTraceparent } from '../work/telemetry/trace-parent.js';
import { DeliveriesStore } from '../store/deliveries.store.js';
import { Arrivals } from './arrivals.service.js';
import { boundedBody } from './body-bounds.js';
import { parseDelivery } from './delivery-parser.js';
import { DeliveryProcessor } from './delivery-processor.js';

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
    private readonly arrivals: Arrivals,
    private readonly processor: DeliveryProcessor,
    private readonly accounts: KnownAccounts,
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
    // It was forgotten since the delivery was verified.
    if (!this.accounts.has(delivery.account))
      throw new StoreUnavailableError(`account ${delivery.account} was removed`);
    const { urlSecrets } = this.accounts.of(delivery.account);
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

  /** Stores a delivery: together with what it changes if one commit can do that, else for the processor. Whether it is a duplicate. */
  private async store(delivery: NewDelivery): Promise<boolean> {
    if (!this.processor.isWorkingFor(delivery)) {
      // It is not parsed: its processing is the work of another process.
      return (await this.deliveriesStore.store(delivery)).duplicate;
    }
    const { acceptedStatuses } = this.accounts.of(delivery.account).deliveries;
    const latest = this.clocks.of(delivery.account).latestTime();
    const message = parseDelivery(delivery.body, { accepted: acceptedStatuses, latest });
    const result = await this.arrivals.apply(delivery, message);
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
 * The key by which duplicates are found. With a signature, the same bytes are one delivery at any URL. Without one, the URL is the
 * proof, so it is part of the key.
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
