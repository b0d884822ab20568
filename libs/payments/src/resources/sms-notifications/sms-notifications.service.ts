import { Injectable } from '@nestjs/common';
import { Runtime } from '../../runtime/runtime.js';
import { BARE_PREFIX, CallbackUrls } from '../callback-urls.js';
import { PlatformClient, type CreatedResource } from '../platform.client.js';
import { expectEnvelope } from '../resource-envelope.js';
import { resourceId } from '../resource-id.js';
import { validateInput } from '../validate-input.js';
import { CreateSmsNotificationDto } from './create-sms-notification.dto.js';
import {
  readSmsNotification,
  SMS_NOTIFICATION_TYPE,
  toWireSmsNotification,
  type SmsNotification,
} from './sms-notification.resource.js';

const PATH = '/api/v1/transaction_sms_notifications';

/** SMS to customers about their transactions (spec 4.8, 4.9). @publicApi */
@Injectable()
export class SmsNotificationsService {
  constructor(
    private readonly client: PlatformClient,
    private readonly urls: CallbackUrls,
    private readonly runtime: Runtime,
  ) {}

  /**
   * Sends an SMS to who paid. The result becomes the event `sms-notification.completed` when posted to our own URL.
   * @throws PaymentsValidationError before anything is sent
   * @throws UnknownOutcomeError when it may have been sent: a repeat may reach the customer twice
   */
  async create(dto: CreateSmsNotificationDto): Promise<CreatedResource> {
    const checked = validateInput(CreateSmsNotificationDto, dto);
    const callbackUrl =
      checked.callbackUrl ??
      this.urls.callback('sms-notifications', BARE_PREFIX + this.runtime.id());
    return this.client.create(
      'create SMS notification',
      PATH,
      toWireSmsNotification(checked, callbackUrl),
    );
  }

  /** Reads an SMS notification. */
  async get(id: string): Promise<SmsNotification> {
    const operation = 'get SMS notification';
    const body = await this.client.read(operation, `${PATH}/${resourceId(id)}`);
    return readSmsNotification(expectEnvelope(operation, body, id, SMS_NOTIFICATION_TYPE));
  }
}
