import { IsOptional } from 'class-validator';
import { isIdentifier, secureUrlProblem } from '../../money/values.js';
import { Concealed, filled, Satisfies, validateInput } from '../../runtime/validate-input.js';
import type { BareCallbacks } from '../bare-requests.js';
import type { CreatedResource, PlatformClient } from '../platform-client.js';
import { createResource, getResource } from '../resource-requests.js';
import { type ResourceTable, type Shown, text } from '../resource-table.js';
import { toWireRequest } from '../wire-value.js';

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
   * @throws PlatformUnreachableError | PlatformTimeoutError | PlatformUnauthorizedError | PlatformRateLimitedError | PlatformRedirectError |
   * InterceptedRequestError | AccountRemovedError | SendingPausedError | StoreUnavailableError when it was certainly not processed, for as long as `sending.sendBeforeMs` (60 s)
   * @throws UnknownOutcomeError when the SMS may have been sent: after a repeat the customer may get it twice
   * @example
   * \@OnPaymentEvent('till.transaction.received')
   * async thank({ webhookEventId }: PaymentsEvents['till.transaction.received']) {
   *   if (webhookEventId)
   *     await this.sms.create({ webhookEventReference: webhookEventId, message: 'Thank you!' });
   * }
   */
  async create(dto: CreateSmsNotificationDto): Promise<CreatedResource> {
    const { callbackUrl, ...sms } = validateInput(CreateSmsNotificationDto, dto);
    const body = toWireRequest(sms, this.callbacks.urlOf('sms-notifications', callbackUrl));
    return createResource(this.client, SMS_NOTIFICATION, body);
  }

  /**
   * Reads an SMS notification.
   * @throws PlatformRejectedError with status 404 when the platform does not have the id
   */
  get(id: string): Promise<SmsNotification> {
    return getResource(this.client, SMS_NOTIFICATION, id);
  }
}

/**
 * An SMS to the customer who paid a received transaction.
 * @see docs/conformance.md#sms-notifications
 * @publicApi
 */
export class CreateSmsNotificationDto {
  /** The `webhookEventId` of a `till.transaction.received` event. */
  @Satisfies((value) =>
    isIdentifier(value) ? null : 'must be the id of a buygoods_transaction_received webhook event',
  )
  webhookEventReference: string;

  /** Text of the SMS. */
  @Satisfies(filled)
  message: string;

  /**
   * `https:` URL to which the platform posts the result. With another URL than the default we emit no event.
   * @default our callback URL
   */
  @IsOptional()
  @Satisfies(secureUrlProblem)
  callbackUrl?: string;
}

export const SMS_NOTIFICATION = {
  noun: 'SMS notification',
  path: '/api/v1/transaction_sms_notifications',
  types: ['transaction_sms_notification'],
  purpose: 'other',
  callback: 'sms-notifications',
  fields: {
    /** `Success` and `Failed` are final; any other status is not. */
    status: text,
    /** Text of the SMS. */
    message: text,
    /** Id of the webhook event of the transaction. */
    webhookEventReference: text,
  },
} satisfies ResourceTable;

/**
 * An SMS notification as the platform shows it. A field that the platform did not send is null.
 * @see docs/conformance.md#sms-notifications
 * @publicApi
 */
export interface SmsNotification extends Shown<typeof SMS_NOTIFICATION> {}
