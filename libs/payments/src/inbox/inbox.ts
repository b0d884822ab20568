import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { LedgerFeed } from '../ledger/ledger.feed.js';
import { PaymentsStore, type DeliveryRecord, type NewDelivery } from '../ledger/payments.store.js';
import { RESOLVED_OPTIONS } from '../payments.constants.js';
import { StoreUnavailableError } from '../payments.errors.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import { sealUrlMacs } from '../resources/url-mac.js';
import { Runtime } from '../runtime/runtime.js';

/** A verified POST of the platform. */
export type VerifiedDelivery = Pick<
  NewDelivery,
  'kind' | 'resource' | 'resourceId' | 'verifiedBy' | 'body'
>;

/** Where verified deliveries are kept, from before they are answered until they are understood. */
@Injectable()
export class Inbox {
  constructor(
    private readonly store: PaymentsStore,
    private readonly feed: LedgerFeed,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
    private readonly runtime: Runtime,
  ) {}

  /**
   * Keeps a delivery; once this resolves it may be answered 2xx.
   * @throws StoreUnavailableError when it could not be kept in time: it must be answered 503
   */
  async accept(delivery: VerifiedDelivery): Promise<void> {
    const { account, deliveries } = this.options;
    const body = this.sealed(delivery.body);
    const stored = this.store.storeDelivery({
      ...delivery,
      body,
      key: keyOf(delivery),
      id: this.runtime.id(),
      account,
    });
    try {
      await this.runtime.inTime(
        stored,
        deliveries.storeTimeoutMs,
        () => new Error('it takes too long'),
      );
    } catch (error) {
      throw unavailable(error);
    }
    this.feed.deliveries$.next();
  }

  /** A stored delivery, with what became of it. */
  find(id: string): Promise<DeliveryRecord | null> {
    return this.store.findDelivery(this.options.account, id);
  }

  /** Has a delivery understood again, after an upgrade or when its payment has come; false when there is none. */
  async replay(id: string): Promise<boolean> {
    const found = await this.store.replayDelivery(this.options.account, id);
    if (found) this.feed.deliveries$.next();
    return found;
  }

  /** MACs of our callback URLs are secrets; they are kept as their hashes. The bytes were verified before. */
  private sealed(body: Buffer): Buffer {
    if (this.options.urlSecrets.length === 0) return body;
    return Buffer.from(sealUrlMacs(body.toString('latin1')), 'latin1');
  }
}

/**
 * A signature vouches for the bytes wherever they are posted: posted to a thousand URLs they are one delivery. A URL that
 * vouches for them is part of what it vouches for.
 */
function keyOf({ kind, resource, resourceId, verifiedBy, body }: VerifiedDelivery): string {
  const by = verifiedBy === 'url' ? [verifiedBy, kind, resource, resourceId] : [verifiedBy];
  return createHash('sha256').update(by.join('/')).update('\n').update(body).digest('hex');
}

/** Whatever kept a delivery from being stored, it is not stored: the platform must send it again. */
function unavailable(error: unknown): StoreUnavailableError {
  if (error instanceof StoreUnavailableError) return error;
  return new StoreUnavailableError(error instanceof Error ? error.message : 'it failed');
}
