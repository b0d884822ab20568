import { Injectable, Logger } from '@nestjs/common';
import {
  OnPaymentEvent,
  PaymentsValidationError,
  PlatformRejectedError,
  SmsNotificationsService,
  UnknownOutcomeError,
  type PaymentsEvents,
} from '@tillkit/payments';
import { formatAmount } from '../web/formats.js';
import { SHOP_NAME } from '../web/page-layout.js';
import { TillRepository } from './till-repository.js';

type Received = PaymentsEvents['till.transaction.received'];

/** Thanks a payer by SMS, at most once. */
@Injectable()
export class ThanksListener {
  private readonly logger = new Logger('Shop');

  constructor(
    private readonly till: TillRepository,
    private readonly sms: SmsNotificationsService,
  ) {}

  @OnPaymentEvent('till.transaction.received')
  async thank({ transaction, webhookEventId }: Received): Promise<void> {
    // An SMS needs the event id of a webhook, and money from another till has no phone number.
    if (!webhookEventId || transaction.sendingTill) return;
    // We store this first. When the process dies before it sends the request, the payer gets no SMS, rather than two.
    if (!(await this.till.beginThanks(webhookEventId))) return;
    try {
      await this.sms.create({
        webhookEventReference: webhookEventId,
        message: thanksFor(transaction),
      });
    } catch (error) {
      await this.giveUp(webhookEventId, error);
    }
  }

  @OnPaymentEvent('sms-notification.completed')
  async storeResult({
    smsNotification,
  }: PaymentsEvents['sms-notification.completed']): Promise<void> {
    const { webhookEventReference, status } = smsNotification;
    if (!webhookEventReference) return;
    await this.till.endThanks(webhookEventReference, status === 'Success' ? 'sent' : 'failed');
  }

  private async giveUp(webhookEventId: string, error: unknown): Promise<void> {
    if (error instanceof PlatformRejectedError || error instanceof PaymentsValidationError) {
      await this.till.endThanks(webhookEventId, 'failed');
    } else if (!(error instanceof UnknownOutcomeError)) {
      // The request was certainly not processed. The library will call this listener again.
      await this.till.cancelThanks(webhookEventId);
      throw error;
    }
    this.logger.warn(
      `the SMS for webhook event ${webhookEventId} may not be sent: ${String(error)}`,
    );
  }
}

function thanksFor({
  senderFirstName,
  amount,
  currency,
  reference,
}: Received['transaction']): string {
  const name = senderFirstName ? `, ${senderFirstName}` : '';
  const money = amount && currency ? formatAmount({ currency, value: amount }) : 'your payment';
  return `Asante${name}! ${SHOP_NAME} received ${money}.${reference ? ` Receipt ${reference}.` : ''}`;
}
