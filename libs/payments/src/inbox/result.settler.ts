import { Inject, Injectable } from '@nestjs/common';
import { BackgroundPacer } from '../http/background.pacer.js';
import { PlatformClock } from '../http/platform.clock.js';
import { newEvent, type NewEvent } from '../ledger/ledger.events.js';
import { LedgerFeed } from '../ledger/ledger.feed.js';
import { Ledger } from '../ledger/ledger.js';
import type { PaymentRecord } from '../ledger/payment.js';
import { PaymentsStore, type DeliveryRecord } from '../ledger/payments.store.js';
import { RESOLVED_OPTIONS } from '../payments.constants.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
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
import { IncomingPaymentsService } from '../resources/incoming-payments/incoming-payments.service.js';
import { POLLING_TYPE, readPolling, type Polling } from '../resources/polling/polling.resource.js';
import { PollingService } from '../resources/polling/polling.service.js';
import type { ResourceEnvelope } from '../resources/resource-envelope.js';
import {
  readSmsNotification,
  SMS_NOTIFICATION_TYPE,
} from '../resources/sms-notifications/sms-notification.resource.js';
import { SmsNotificationsService } from '../resources/sms-notifications/sms-notifications.service.js';
import { Runtime } from '../runtime/runtime.js';
import { pathSegments } from '../values/identifier.js';

/** How the result in a callback was taken. */
export type SettledResult = 'settled' | 'ignored' | 'unmatched' | 'unrecognised';

/** Shorter than the lease of a delivery; longer than a turn is waited for. */
const CONFIRM_WITHIN_MS = 20_000;

/** One callback makes its payment due once. */
const ONCE_MS = 86_400_000;

const FINAL_STATUSES = ['Success', 'Failed'];

/** Takes the results that the platform posts to callback URLs. */
@Injectable()
export class ResultSettler {
  constructor(
    private readonly store: PaymentsStore,
    private readonly ledger: Ledger,
    private readonly feed: LedgerFeed,
    private readonly urls: CallbackUrls,
    private readonly pacer: BackgroundPacer,
    private readonly incomingPayments: IncomingPaymentsService,
    private readonly polling: PollingService,
    private readonly smsNotifications: SmsNotificationsService,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
    private readonly runtime: Runtime,
    private readonly clock: PlatformClock,
  ) {}

  async settle(delivery: DeliveryRecord, envelope: ResourceEnvelope): Promise<SettledResult> {
    const isSigned = delivery.verifiedBy === 'signature';
    switch (envelope.type) {
      case INCOMING_PAYMENT_TYPE:
        return this.settleIncomingPayment(delivery, envelope);
      case POLLING_TYPE:
        return this.complete(envelope, 'polling', async () =>
          isSigned
            ? this.pollingEvent(readPolling(envelope), isSigned)
            : this.pollingEvent(await this.confirmed(() => this.polling.get(envelope.id))),
        );
      case SMS_NOTIFICATION_TYPE:
        return this.complete(envelope, 'sms-notifications', async () => {
          const smsNotification = isSigned
            ? readSmsNotification(envelope)
            : await this.confirmed(() => this.smsNotifications.get(envelope.id));
          if (!FINAL_STATUSES.includes(smsNotification.status ?? '')) return 'ignored';
          return this.isHandedOut('sms-notifications', smsNotification.links, isSigned)
            ? newEvent('sms-notification.completed', this.subject(envelope), { smsNotification })
            : null;
        });
      default:
        return 'unrecognised';
    }
  }

  /**
   * Reads a polling result of the host's that was too large to be delivered. False while it cannot be read, or is not ready;
   * true when there is nothing left to ask for, also since the host never asked: anybody can post to an invented id.
   * @param bareId the id in the callback URL that was handed out for it
   */
  async readPolling(bareId: string): Promise<boolean> {
    const { account } = this.options;
    const request = await this.store.findBareRequest(account, 'polling', bareId);
    if (!request) return true;
    const { platformId } = request;
    if (!platformId) return false;
    const polling = await this.pacer.run('confirmation', () => this.polling.get(platformId));
    const event = this.pollingEvent(polling);
    if (!event || event === 'ignored') return false;
    await this.ledger.takeBareResult(event, bareId, null);
    return true;
  }

  private pollingEvent(polling: Polling, isSigned = false): NewEvent | 'ignored' | null {
    if (!FINAL_STATUSES.includes(polling.status ?? '')) return 'ignored';
    return this.isHandedOut('polling', polling.links, isSigned)
      ? newEvent('polling.completed', this.subject(polling), { polling })
      : null;
  }

  private async settleIncomingPayment(
    delivery: DeliveryRecord,
    envelope: ResourceEnvelope,
  ): Promise<SettledResult> {
    const result = readIncomingPayment(envelope);
    const isSigned = delivery.verifiedBy === 'signature';
    const payment = await this.paymentOf(result, isSigned);
    if (!payment) {
      return this.complete(envelope, 'incoming-payments', async () => {
        const incomingPayment = isSigned ? result : await this.read(envelope.id);
        if (!FINAL_STATUSES.includes(incomingPayment.status ?? '')) return 'ignored';
        return this.isHandedOut('incoming-payments', incomingPayment.links, isSigned)
          ? newEvent('incoming-payment.completed', this.subject(envelope), { incomingPayment })
          : null;
      });
    }
    if (isSigned) {
      await this.ledger.takeIncomingPayment(payment.id, result, 'callback');
      return 'settled';
    }
    // The URL alone vouches for who posted, not for what: the platform's own answer counts.
    if (payment.platformId !== null && mayBeDue(payment)) return this.askedSoon(payment, delivery);
    const askedAt = this.clock.now();
    const answer = await this.read(payment.platformId ?? result.id);
    if ((await this.paymentOf(answer))?.id !== payment.id) return 'unmatched';
    await this.ledger.takeIncomingPayment(payment.id, answer, 'status', askedAt);
    return 'settled';
  }

  /**
   * The payment that a result is about: the one with its platform id or, while a payment has none, the one whose own
   * callback URL the result repeats. The URL it was posted to proves nothing: it is not under the signature.
   */
  private async paymentOf(
    { id, links }: IncomingPayment,
    isSigned = false,
  ): Promise<PaymentRecord | null> {
    const { account } = this.options;
    const byPlatformId = await this.store.findPaymentByPlatformId(account, id);
    if (byPlatformId) return byPlatformId;
    const ownId = idIn(links.callbackUrl, 'incoming-payments');
    if (ownId === null || !this.isHandedOut('incoming-payments', links, isSigned)) return null;
    const payment = await this.store.findPayment(account, ownId);
    return payment?.platformId === null ? payment : null;
  }

  /** The result of something that the host created itself: told once per id. Results of our own sweeps are not told. */
  private async complete(
    envelope: ResourceEnvelope,
    resource: CallbackResource,
    event: () => Promise<NewEvent | 'ignored' | null>,
  ): Promise<SettledResult> {
    const ownId = idIn(envelope.links.callbackUrl, resource);
    if (ownId?.startsWith(SWEEP_PREFIX)) return 'ignored';
    if (!ownId?.startsWith(BARE_PREFIX)) return 'unmatched';
    const completed = await event();
    if (!completed) return 'unmatched';
    if (completed === 'ignored') return 'ignored';
    const { payload } = completed;
    const transaction =
      'incomingPayment' in payload ? payload.incomingPayment.event.resource : null;
    await this.ledger.takeBareResult(completed, ownId, transaction);
    return 'settled';
  }

  private isHandedOut(
    resource: CallbackResource,
    { callbackUrl }: { callbackUrl: string | null },
    isSigned: boolean,
  ): boolean {
    const ownId = idIn(callbackUrl, resource);
    return (
      ownId !== null &&
      callbackUrl !== null &&
      this.urls.isHandedOut(resource, ownId, callbackUrl, isSigned)
    );
  }

  /** A payment whose id is known is read in its turn, as any that is due: its callback holds no place meanwhile. */
  private async askedSoon(payment: PaymentRecord, { id }: DeliveryRecord): Promise<SettledResult> {
    await this.store.hastenPayments(payment.account, [payment.id], {
      cause: `callback ${id}`,
      againAfterMs: ONCE_MS,
    });
    this.feed.due$.next();
    return 'settled';
  }

  private read(id: string): Promise<IncomingPayment> {
    return this.confirmed(() => this.incomingPayments.get(id));
  }

  /** No longer than the lease of a delivery lasts. What takes longer is tried again. */
  private confirmed<T>(read: () => Promise<T>): Promise<T> {
    return this.runtime.inTime(
      this.pacer.run('confirmation', read),
      CONFIRM_WITHIN_MS,
      () => new Error('the platform could not be asked in time'),
    );
  }

  private subject({ id }: { id: string }): { account: string; stream: string; via: 'callback' } {
    return { account: this.options.account, stream: id, via: 'callback' };
  }
}

/** What succeeded is read no more on a schedule: what a callback says of it is asked for at once. */
function mayBeDue({ state }: PaymentRecord): boolean {
  return state !== 'succeeded' && state !== 'reversed';
}

/** The id in a callback URL of ours: what follows `callbacks/<resource>`. */
function idIn(callbackUrl: string | null, resource: CallbackResource): string | null {
  const segments = pathSegments(callbackUrl);
  const at = segments.lastIndexOf(resource);
  return at > 0 && segments[at - 1] === 'callbacks' ? (segments[at + 1] ?? null) : null;
}
