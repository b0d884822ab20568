import { Injectable } from '@nestjs/common';
import { AnomaliesStore, ANOMALY } from '../store/anomalies.store.js';
import { BackgroundRequests, type Permit } from '../platform/background-requests.js';
import { LedgerCommits } from '../ledger/ledger-commits.js';
import { LedgerStore } from '../store/ledger.store.js';
import type { NewEvent } from '../store/new-event.js';
import { PlatformRejectedError, PlatformResponseError } from '../platform.errors.js';
import { expectEnvelope, resourceId } from '../platform/wire-value.js';
import { Resources } from '../platform/resources.js';
import { isAccepted } from '../money/webhook-topics.js';
import { isIdentifier } from '../money/values.js';
import { SECOND } from '../runtime/clock.js';
import { SafeLogger } from '../runtime/logging.js';
import type { ClaimedDelivery } from '../store/deliveries.store.js';
import { APPLIED, type DeliveryOutcome } from './delivery-outcome.js';
import type { Message } from './delivery-parser.js';
import type { Notice } from './webhook-notices.js';

/** A webhook that waits until another one is confirmed is processed again after this time. */
const CONFIRM_NEXT_MS = SECOND;

type NoticeMessage = Message & { kind: 'notice' };

/** Applies webhooks that report something else than money at a till: one event for each customer, settlement or merchant transaction. */
@Injectable()
export class WebhookNoticesService {
  private readonly logger = new SafeLogger();
  /** The accounts for which a webhook is confirmed now. */
  private readonly confirming = new Set<string>();

  constructor(
    private readonly anomaliesStore: AnomaliesStore,
    private readonly commits: LedgerCommits,
    private readonly ledger: LedgerStore,
    private readonly resources: Resources,
    private readonly background: BackgroundRequests,
  ) {}

  async apply(delivery: ClaimedDelivery, message: NoticeMessage): Promise<DeliveryOutcome> {
    if (delivery.verifiedBy === 'signature')
      return this.emit(delivery, message, message.notice, 'webhook');
    return this.applyUnsigned(delivery, message);
  }

  /**
   * Without a signature only the URL is verified, not the body. So we read what the webhook names from the platform and use the answer.
   * One at a time: none of them waits for the others longer than it may.
   */
  private async applyUnsigned(
    delivery: ClaimedDelivery,
    message: NoticeMessage,
  ): Promise<DeliveryOutcome> {
    const { account } = delivery;
    const { id } = message.notice;
    if (!isIdentifier(id))
      return {
        kind: 'unrecognised',
        why: 'only its URL is verified, and it has no id by which the platform could confirm it',
      };
    if (this.confirming.has(account))
      return {
        kind: 'wait',
        inMs: CONFIRM_NEXT_MS,
        why: 'another webhook is being confirmed',
      };
    this.confirming.add(account);
    try {
      const shown = await this.background.confirm(account, 'hint', (permit) =>
        this.read(account, message, id, permit),
      );
      if (shown) return await this.emit(delivery, message, shown, 'status');
      return { kind: 'unmatched', why: 'the platform does not confirm it' };
    } finally {
      this.confirming.delete(account);
    }
  }

  /** Reads what the platform shows under the id that a webhook names; null when it shows nothing that proves the webhook's topic. */
  private async read(
    account: string,
    { notices: { topic, collection, hasStatus, read } }: NoticeMessage,
    id: string,
    permit: Permit,
  ): Promise<Notice | null> {
    const operation = `confirm ${topic}`;
    const { client, settings } = this.resources.resources(account, permit);
    try {
      // Rebuilt from the id: a URL in a webhook is never followed.
      const body = await client.read(operation, `/${collection}/${resourceId(id)}`);
      const shown = read(expectEnvelope(operation, body, id).attributes, id);
      const isProven =
        !hasStatus || isAccepted(topic, shown.status, settings.current.deliveries.acceptedStatuses);
      return isProven && shown.id === id ? shown : null;
    } catch (error) {
      if (error instanceof PlatformRejectedError || error instanceof PlatformResponseError)
        return null;
      throw error;
    }
  }

  /**
   * Commits the event. The store does not write an event that it has, however many webhooks report the same; the first amount stays. The
   * delivery is finished afterwards, so that a crash does not hide another amount.
   */
  private async emit(
    delivery: ClaimedDelivery,
    { topic, eventId }: NoticeMessage,
    notice: Notice,
    via: 'webhook' | 'status',
  ): Promise<DeliveryOutcome> {
    const { account } = delivery;
    const identity = notice.id ?? (eventId === null ? null : `webhook:${eventId}`);
    if (identity === null)
      return { kind: 'unrecognised', why: 'it has no id by which it could be recognised' };
    if (notice.amount === null) {
      await this.anomaliesStore.record(account, ANOMALY.unreadableAmountOn(topic), delivery.id);
      return { kind: 'applied', note: 'its amount cannot be read: no event is emitted' };
    }
    const event = notice.event({ account, via }, identity, eventId);
    await this.commits.commit({ account, events: [event], history: [] });
    if (notice.amount !== undefined) await this.compare(delivery, event, topic, identity);
    return APPLIED;
  }

  /** Another amount under the same id is an anomaly. */
  private async compare(
    { account, id: deliveryId }: ClaimedDelivery,
    { id, amount }: NewEvent,
    topic: string,
    identity: string,
  ): Promise<void> {
    if ((await this.ledger.amountOf(account, id)) === amount) return;
    this.logger.seldom(
      'warn',
      'another amount',
      `${topic} was reported again with another amount; the first one is kept`,
      { account, resourceId: identity, deliveryId },
    );
    await this.anomaliesStore.record(account, ANOMALY.anotherAmountOn(topic), deliveryId);
  }
}
