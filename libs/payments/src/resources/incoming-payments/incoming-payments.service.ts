import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { RESOLVED_OPTIONS } from '../../payments.constants.js';
import { PaymentsValidationError } from '../../payments.errors.js';
import type { ResolvedPaymentsOptions } from '../../payments.options.js';
import { toInternationalPhone } from '../../values/phone-number.js';
import { BARE_PREFIX, CallbackUrls } from '../callback-urls.js';
import { PlatformClient, type CreatedResource, type CreateOutcome } from '../platform.client.js';
import { resourceId } from '../resource-id.js';
import { expectEnvelope } from '../resource-envelope.js';
import { validateInput } from '../validate-input.js';
import { CreateIncomingPaymentDto } from './create-incoming-payment.dto.js';
import {
  INCOMING_PAYMENT_TYPE,
  readIncomingPayment,
  toWireIncomingPayment,
  type CompleteIncomingPayment,
  type IncomingPayment,
} from './incoming-payment.resource.js';

const PATH = '/api/v2/incoming_payments';

/**
 * The bare resource: asks the platform to debit a subscriber and keeps no record of it. Whoever wants to be told once,
 * protected from double charges, uses `PaymentsService`.
 * @publicApi
 */
@Injectable()
export class IncomingPaymentsService {
  constructor(
    private readonly client: PlatformClient,
    private readonly urls: CallbackUrls,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
  ) {}

  /**
   * Prompts the customer (spec 4.10). The result is posted to `callbackUrl`; posted to our own URL, it becomes the event
   * `incoming-payment.completed`.
   * @throws PaymentsValidationError before anything is sent
   * @throws UnknownOutcomeError when the customer may have been prompted: do not send it again
   */
  async create(dto: CreateIncomingPaymentDto): Promise<CreatedResource> {
    const checked = validateInput(CreateIncomingPaymentDto, dto);
    const callbackUrl =
      checked.callbackUrl ?? this.urls.callback('incoming-payments', BARE_PREFIX + randomUUID());
    return this.client.create(
      'create incoming payment',
      PATH,
      toWireIncomingPayment(this.complete(checked, callbackUrl)),
    );
  }

  /** Reads a payment request (spec 4.11). */
  async get(id: string): Promise<IncomingPayment> {
    const operation = 'get incoming payment';
    const body = await this.client.read(operation, `${PATH}/${resourceId(id)}`);
    return readIncomingPayment(expectEnvelope(operation, body, id, INCOMING_PAYMENT_TYPE));
  }

  /**
   * Sends a payment that is already complete and recorded, before `sendBefore` (epoch milliseconds).
   * @internal
   */
  send(payment: CompleteIncomingPayment, sendBefore: number): Promise<CreateOutcome> {
    return this.client.attempt(
      'create incoming payment',
      PATH,
      toWireIncomingPayment(payment),
      sendBefore,
    );
  }

  /**
   * Fills in what the options default in a request whose fields were checked.
   * @throws PaymentsValidationError when there is no default, or the phone number is none
   * @internal
   */
  complete(checked: CreateIncomingPaymentDto, callbackUrl: string): CompleteIncomingPayment {
    const phoneNumber = toInternationalPhone(
      checked.subscriber.phoneNumber,
      this.options.defaultCountry,
    );
    if (phoneNumber === null)
      throw new PaymentsValidationError([unreadablePhone(this.options.defaultCountry)]);
    const tillNumber = checked.tillNumber ?? this.options.tillNumber;
    if (!tillNumber) {
      throw new PaymentsValidationError([
        { field: 'tillNumber', problem: 'is missing, and PAYMENTS_TILL_NUMBER sets no default' },
      ]);
    }
    const { firstName, lastName, email } = checked.subscriber;
    const { currency, value } = checked.amount;
    return {
      paymentChannel: checked.paymentChannel ?? this.options.channel,
      tillNumber,
      subscriber: { firstName, lastName, phoneNumber, ...(email != null && { email }) },
      amount: { currency, value },
      ...(checked.metadata && { metadata: checked.metadata }),
      callbackUrl,
    };
  }
}

function unreadablePhone(defaultCountry: string | undefined): { field: string; problem: string } {
  return {
    field: 'subscriber.phoneNumber',
    problem: defaultCountry
      ? `must be a valid phone number, in international form or as written in ${defaultCountry}`
      : 'must be in international form, such as +254700000001 (or set PAYMENTS_DEFAULT_COUNTRY)',
  };
}
