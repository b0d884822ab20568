import { Injectable, Logger } from '@nestjs/common';
import {
  OnPaymentEvent,
  PaymentsService,
  PaymentsValidationError,
  PlatformRejectedError,
  SmsNotificationsService,
  UnknownOutcomeError,
  type PaymentsEvents,
} from '@tillkit/payments';
import { readAttemptKey } from '../orders/order.js';
import { ShopFeed } from '../shop.feed.js';
import { formatAmount } from '../web/amount.format.js';
import { SHOP_NAME } from '../web/page.layout.js';
import type { ThanksState } from './till.entry.js';
import { TillRepository } from './till.repository.js';

/** Thanks by SMS whoever paid the till: once, or not at all, but never twice. */
@Injectable()
export class ThanksListener {
  private readonly logger = new Logger('Shop');

  constructor(
    private readonly till: TillRepository,
    private readonly sms: SmsNotificationsService,
    private readonly payments: PaymentsService,
    private readonly feed: ShopFeed,
  ) {}

  @OnPaymentEvent('till.transaction.received')
  async thank({
    transaction,
    webhookEventId,
  }: PaymentsEvents['till.transaction.received']): Promise<void> {
    // Money that only a sweep found has no event for an SMS to refer to, and another till has no phone.
    if (!webhookEventId || transaction.sendingTill) return;
    // Noted before it is asked for: if this process dies in between there is no SMS, which is better than two.
    if (!(await this.till.beginThanks(webhookEventId))) return;
    try {
      await this.sms.create({
        webhookEventReference: webhookEventId,
        message: thanksFor(transaction),
      });
    } catch (error) {
      const state = stateAfter(error);
      if (!state) {
        await this.till.dropThanks(webhookEventId);
        throw error;
      }
      this.logger.warn(`no thanks by SMS for ${transaction.reference}: ${String(error)}`);
      await this.till.endThanks(webhookEventId, state);
    }
    await this.tell(webhookEventId);
  }

  @OnPaymentEvent('sms-notification.completed')
  async noteSent({ smsNotification }: PaymentsEvents['sms-notification.completed']): Promise<void> {
    const { webhookEventReference, status } = smsNotification;
    if (!webhookEventReference) return;
    await this.till.endThanks(webhookEventReference, status === 'Success' ? 'sent' : 'failed');
    await this.tell(webhookEventReference);
  }

  private async tell(webhookEventId: string): Promise<void> {
    this.feed.tillChanged();
    const entry = await this.till.findByWebhookEvent(webhookEventId);
    if (!entry?.paymentId) return;
    const payment = await this.payments.find(entry.paymentId);
    const order = payment && readAttemptKey(payment.idempotencyKey);
    if (order) this.feed.orderChanged(order.id);
  }
}

/** What an error says of the SMS; null when it was certainly not sent and may be asked for again. */
function stateAfter(error: unknown): ThanksState | null {
  if (error instanceof UnknownOutcomeError) return 'unclear';
  if (error instanceof PlatformRejectedError || error instanceof PaymentsValidationError) {
    return 'failed';
  }
  return null;
}

function thanksFor({
  senderFirstName,
  amount,
  currency,
  reference,
}: PaymentsEvents['till.transaction.received']['transaction']): string {
  const name = senderFirstName ? `, ${senderFirstName}` : '';
  const money = amount && currency ? formatAmount({ currency, value: amount }) : 'your payment';
  return `Asante${name}! ${SHOP_NAME} received ${money}.${reference ? ` Receipt ${reference}.` : ''}`;
}
