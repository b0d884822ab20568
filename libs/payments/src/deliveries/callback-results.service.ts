import { Injectable } from '@nestjs/common';
import { BackgroundRequests } from '../http/background-requests.js';
import { PlatformClocks } from '../http/platform.clock.js';
import { BareRequestsStore } from '../ledger/bare-requests.store.js';
import { LedgerSignals } from '../ledger/ledger.signals.js';
import type { NewEvent, PaymentsEventBase } from '../ledger/new-event.js';
import { OperationsStore } from '../ledger/operations.store.js';
import { PaymentEvidenceService } from '../operations/payments/payment-evidence.service.js';
import type { PaymentRecord } from '../operations/payments/payment.js';
import {
  BARE_PREFIX,
  CallbackUrls,
  SWEEP_PREFIX,
  type CallbackResource,
} from '../resources/callback-urls.js';
import {
  INCOMING_PAYMENT_TYPE,
  readIncomingPayment,
  type IncomingPayment,
} from '../resources/incoming-payments/incoming-payment.resource.js';
import { POLLING_TYPE, readPolling, type Polling } from '../resources/polling/polling.resource.js';
import type { ResourceEnvelope } from '../resources/resource-envelope.js';
import { Resources } from '../resources/resources.js';
import {
  readSmsNotification,
  SMS_NOTIFICATION_TYPE,
} from '../resources/sms-notifications/sms-notification.resource.js';
import type { Transaction } from '../resources/transaction.resource.js';
import { DELIVERY_WORK, TILL_MONEY } from '../runtime/backoff.js';
import { Runtime } from '../runtime/runtime.js';
import { TillLedger } from '../tills/till.ledger.js';
import { pathSegments } from '../values/identifier.js';
import { deliveryEvent, type DeliveryEvents } from './deliveries.events.js';
import type { DeliveryRecord } from './deliveries.store.js';
import { APPLIED, type DeliveryOutcome } from './delivery.outcome.js';

const UNMATCHED: DeliveryOutcome = {
  kind: 'unmatched',
  why: 'it names no payment or request of this account',
};

/** The event of the result of a bare request, and the transaction in the result. */
interface Completed {
  event: NewEvent;
  transaction: Transaction | null;
}

const FINAL_STATUSES = ['Success', 'Failed'];

/** Applies results that the platform posts to our callback URLs. */
@Injectable()
export class CallbackResultsService {
  constructor(
    private readonly bareRequestsStore: BareRequestsStore,
    private readonly operationsStore: OperationsStore<PaymentRecord>,
    private readonly evidence: PaymentEvidenceService,
    private readonly tillLedger: TillLedger,
    private readonly signals: LedgerSignals,
    private readonly urls: CallbackUrls,
    private readonly background: BackgroundRequests,
    private readonly resources: Resources,
    private readonly runtime: Runtime,
    private readonly clocks: PlatformClocks,
  ) {}

  async apply(delivery: DeliveryRecord, envelope: ResourceEnvelope): Promise<DeliveryOutcome> {
    const { account } = delivery;
    const isSigned = delivery.verifiedBy === 'signature';
    const resources = this.resources.of(account);
    switch (envelope.type) {
      case INCOMING_PAYMENT_TYPE:
        return this.applyIncomingPayment(delivery, envelope);
      case POLLING_TYPE:
        return this.complete(envelope, 'polling', async () => {
          const polling = isSigned
            ? readPolling(envelope)
            : await this.confirmed(account, () => resources.polling.get(envelope.id));
          return this.completedPolling(account, polling, isSigned);
        });
      case SMS_NOTIFICATION_TYPE:
        return this.complete(envelope, 'sms-notifications', async () => {
          const smsNotification = isSigned
            ? readSmsNotification(envelope)
            : await this.confirmed(account, () => resources.smsNotifications.get(envelope.id));
          if (!FINAL_STATUSES.includes(smsNotification.status ?? '')) return 'not_final';
          return this.isHandedOut(account, 'sms-notifications', smsNotification.links, isSigned)
            ? this.completed(account, 'sms-notification.completed', envelope, { smsNotification })
            : null;
        });
      default:
        return { kind: 'unrecognised', why: `type ${envelope.type} is not known` };
    }
  }

  /**
   * Reads the result of the host's polling request, because its callback was too large. False when it cannot be read yet. True when
   * nothing is left to read, also when there is no such request: anybody can post to an invented id.
   * @param bareId the id in the request's callback URL
   */
  async readPolling(account: string, bareId: string): Promise<boolean> {
    const request = await this.bareRequestsStore.find(account, 'polling', bareId);
    if (!request) return true;
    const { platformId } = request;
    if (!platformId) return false;
    const polling = await this.background.run(account, 'confirmation', () =>
      this.resources.of(account).polling.get(platformId),
    );
    const completed = this.completedPolling(account, polling, false);
    if (!completed || completed === 'not_final') return false;
    await this.tillLedger.applyBareResult(completed.event, bareId, null);
    return true;
  }

  private completedPolling(
    account: string,
    polling: Polling,
    isSigned: boolean,
  ): Completed | 'not_final' | null {
    if (!FINAL_STATUSES.includes(polling.status ?? '')) return 'not_final';
    return this.isHandedOut(account, 'polling', polling.links, isSigned)
      ? this.completed(account, 'polling.completed', polling, { polling })
      : null;
  }

  private async applyIncomingPayment(
    delivery: DeliveryRecord,
    envelope: ResourceEnvelope,
  ): Promise<DeliveryOutcome> {
    const { account } = delivery;
    const result = readIncomingPayment(envelope);
    const isSigned = delivery.verifiedBy === 'signature';
    const payment = await this.paymentOf(account, result, isSigned);
    if (!payment) {
      return this.complete(envelope, 'incoming-payments', async () => {
        const incomingPayment = isSigned ? result : await this.read(account, envelope.id);
        if (!FINAL_STATUSES.includes(incomingPayment.status ?? '')) return 'not_final';
        return this.isHandedOut(account, 'incoming-payments', incomingPayment.links, isSigned)
          ? this.completed(
              account,
              'incoming-payment.completed',
              envelope,
              { incomingPayment },
              incomingPayment.event.resource,
            )
          : null;
      });
    }
    if (isSigned) {
      await this.evidence.apply(payment, result, 'callback');
      return APPLIED;
    }
    // Without a signature only the URL is verified, not the body. So we read the payment from the platform and use its answer.
    if (payment.platformId !== null && mayBeDue(payment)) return this.makeDue(payment, delivery);
    const askedAt = this.clocks.of(account).now();
    const answer = await this.read(account, payment.platformId ?? result.id);
    if ((await this.paymentOf(account, answer))?.id !== payment.id) return UNMATCHED;
    await this.evidence.apply(payment, answer, 'status', askedAt);
    return APPLIED;
  }

  /**
   * The payment of a result: the one with its platform id, else the payment without a platform id whose callback URL the result
   * repeats. The URL to which the result was posted is no proof, because the signature does not cover it.
   */
  private async paymentOf(
    account: string,
    { id, links }: IncomingPayment,
    isSigned = false,
  ): Promise<PaymentRecord | null> {
    const byPlatformId = await this.operationsStore.findByPlatformId(account, id);
    if (byPlatformId) return byPlatformId;
    const ownId = idIn(links.callbackUrl, 'incoming-payments');
    if (ownId === null || !this.isHandedOut(account, 'incoming-payments', links, isSigned))
      return null;
    const payment = await this.operationsStore.find(account, ownId);
    return payment?.platformId === null ? payment : null;
  }

  /** Applies the result of a bare request: one event for each id. Results of our own sweeps emit no event. */
  private async complete(
    envelope: ResourceEnvelope,
    resource: CallbackResource,
    read: () => Promise<Completed | 'not_final' | null>,
  ): Promise<DeliveryOutcome> {
    const ownId = idIn(envelope.links.callbackUrl, resource);
    if (ownId?.startsWith(SWEEP_PREFIX)) return APPLIED;
    if (!ownId?.startsWith(BARE_PREFIX)) return UNMATCHED;
    const completed = await read();
    if (!completed) return UNMATCHED;
    if (completed === 'not_final') return APPLIED;
    await this.tillLedger.applyBareResult(completed.event, ownId, completed.transaction);
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

  /** Makes a payment due for a read, so that its callback does not block other callbacks meanwhile. */
  private async makeDue(payment: PaymentRecord, { id }: DeliveryRecord): Promise<DeliveryOutcome> {
    await this.operationsStore.makeDue(payment.account, [payment.id], {
      cause: `callback ${id}`,
      againAfterMs: TILL_MONEY.dueAgainMs,
    });
    this.signals.due$.next();
    return APPLIED;
  }

  private read(account: string, id: string): Promise<IncomingPayment> {
    return this.confirmed(account, () => this.resources.of(account).incomingPayments.get(id));
  }

  /** Reads from the platform, for less time than the lease of a delivery. A delivery whose read takes longer is retried. */
  private confirmed<T>(account: string, read: () => Promise<T>): Promise<T> {
    return this.runtime.inTime(
      this.background.run(account, 'confirmation', read),
      DELIVERY_WORK.confirmWithinMs,
      () => new Error('the platform could not be read in time'),
    );
  }

  private completed<Name extends keyof DeliveryEvents>(
    account: string,
    name: Name,
    { id }: { id: string },
    content: Omit<DeliveryEvents[Name], keyof PaymentsEventBase>,
    transaction: Transaction | null = null,
  ): Completed {
    const subject = { account, stream: id, via: 'callback' } as const;
    return { event: deliveryEvent(name, subject, content), transaction };
  }
}

/** Whether `makeDue` has an effect. A payment that succeeded has no scheduled reads, so its callback is confirmed at once. */
function mayBeDue({ state }: PaymentRecord): boolean {
  return state !== 'succeeded' && state !== 'reversed';
}

/** The id in a callback URL of ours: what follows `callbacks/<resource>`. */
function idIn(callbackUrl: string | null, resource: CallbackResource): string | null {
  const segments = pathSegments(callbackUrl);
  const at = segments.lastIndexOf(resource);
  return at > 0 && segments[at - 1] === 'callbacks' ? (segments[at + 1] ?? null) : null;
}
