import type { BareCallbacks } from '../../bare-callbacks.js';
import type { CreatedResource, PlatformClient } from '../../platform-client.js';
import { expectEnvelope } from '../../envelope.reader.js';
import { resourceId } from '../../resource-id.js';
import { validateInput } from '../../../work/validate-input.js';
import { CreateSmsNotificationDto } from './create-sms-notification.dto.js';
import {
  readSmsNotification,
  SMS_NOTIFICATION_TYPE,
  toWireSmsNotification,
  type SmsNotification,
} from './sms-notification.resource.js';
import { Concealed } from '../../../work/concealed.decorator.js';

const PATH = '/api/v1/transaction_sms_notifications';

/**
 * Sends SMS to customers about their transactions. No money moves.
 * @see docs/conformance.md#sms-notifications
 * @publicApi
 */
@Concealed()
export class SmsNotificationsService {
  constructor(
    private readonly client: PlatformClient,
    private readonly callbacks: BareCallbacks,
  ) {}

  /**
   * Sends an SMS to the customer who paid a transaction. The platform posts the result to `callbackUrl`. When it posts to our own
   * URL, we emit `sms-notification.completed`.
   * @returns the id and the URL of the new resource
   * @throws PaymentsValidationError when the input is wrong; nothing was sent
   * @throws PlatformRejectedError when the platform refused; no SMS is sent
   * @throws UnknownOutcomeError when the SMS may have been sent: after a repeat the customer may get it twice
   * @example
   * \@OnPaymentEvent('till.transaction.received')
   * async thank({ webhookEventId }: PaymentsEvents['till.transaction.received']) {
   *   if (webhookEventId)
   *     await this.sms.create({ webhookEventReference: webhookEventId, message: 'Thank you!' });
   * }
   */
  async create(dto: CreateSmsNotificationDto): Promise<CreatedResource> {
    const checked = validateInput(CreateSmsNotificationDto, dto);
    const callbackUrl = this.callbacks.urlOf('sms-notifications', checked.callbackUrl);
    return this.client.create(
      'create SMS notification',
      PATH,
      toWireSmsNotification(checked, callbackUrl),
      'other',
    );
  }

  /**
   * Reads an SMS notification.
   * @throws PlatformRejectedError with status 404 when the platform does not have the id
   */
  async get(id: string): Promise<SmsNotification> {
    const operation = 'get SMS notification';
    const body = await this.client.read(operation, `${PATH}/${resourceId(id)}`);
    return readSmsNotification(expectEnvelope(operation, body, id, SMS_NOTIFICATION_TYPE));
  }
}
