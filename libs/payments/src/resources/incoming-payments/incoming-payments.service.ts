import { Inject, Injectable } from '@nestjs/common';
import { PlatformClock } from '../../http/platform.clock.js';
import { RESOLVED_OPTIONS } from '../../payments.constants.js';
import { PaymentsValidationError, UnknownOutcomeError } from '../../payments.errors.js';
import type { ResolvedPaymentsOptions } from '../../payments.options.js';
import { Runtime } from '../../runtime/runtime.js';
import type { TimeLimit } from '../../runtime/time.limit.js';
import { toMinorUnits } from '../../values/money.js';
import { countryOf, phoneHash, toInternationalPhone } from '../../values/phone-number.js';
import { BareRequests, type BareRequest } from '../bare-requests.js';
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
    private readonly bareRequests: BareRequests,
    private readonly clock: PlatformClock,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
    private readonly runtime: Runtime,
  ) {}

  /**
   * Prompts the customer (spec 4.10). The result is posted to `callbackUrl`; posted to our own URL, it becomes the event
   * `incoming-payment.completed`.
   * @throws PaymentsValidationError before anything is sent
   * @throws PlatformUnreachableError | PlatformTimeoutError when the platform does not answer before anything is sent
   * @throws UnknownOutcomeError when the customer may have been prompted: do not send it again
   */
  async create(dto: CreateIncomingPaymentDto): Promise<CreatedResource> {
    const checked = validateInput(CreateIncomingPaymentDto, dto);
    const id = BARE_PREFIX + this.runtime.id();
    const callbackUrl = checked.callbackUrl ?? this.urls.callback('incoming-payments', id);
    const complete = this.complete(checked, callbackUrl);
    const money = this.moneyOf(complete);
    const keep = (platformId: string | null, asked: BareRequest['money'] = money): Promise<void> =>
      this.bareRequests.keep({
        id,
        resource: 'incoming-payments',
        platformId,
        sentAt: this.clock.now(),
        money: asked,
      });
    await this.client.learnClock();
    // Before it is sent: its money must not be taken for a payment's, whatever becomes of this process.
    await keep(null);
    try {
      const created = await this.client.create(
        'create incoming payment',
        PATH,
        toWireIncomingPayment(complete),
      );
      await keep(created.id);
      return created;
    } catch (error) {
      // What was certainly refused or not sent has no money.
      if (!(error instanceof UnknownOutcomeError)) await keep(null, null);
      throw error;
    }
  }

  private moneyOf({
    amount,
    subscriber,
  }: CompleteIncomingPayment): NonNullable<BareRequest['money']> {
    return {
      currency: amount.currency,
      amountMinor: String(toMinorUnits(amount.value, amount.currency)),
      payerHash: phoneHash(subscriber.phoneNumber),
    };
  }

  /** Reads a payment request (spec 4.11). */
  async get(id: string): Promise<IncomingPayment> {
    const operation = 'get incoming payment';
    const body = await this.client.read(operation, `${PATH}/${resourceId(id)}`);
    return readIncomingPayment(expectEnvelope(operation, body, id, INCOMING_PAYMENT_TYPE));
  }

  /**
   * Sends a payment that is already complete and recorded, within a time.
   * @internal
   */
  send(payment: CompleteIncomingPayment, limit: TimeLimit): Promise<CreateOutcome> {
    return this.client.attempt(
      'create incoming payment',
      PATH,
      toWireIncomingPayment(payment),
      limit,
    );
  }

  /**
   * Fills in what the options default in a request whose fields were checked.
   * @throws PaymentsValidationError when there is no default, or the phone number cannot hold money of the currency
   * @internal
   */
  complete(checked: CreateIncomingPaymentDto, callbackUrl: string): CompleteIncomingPayment {
    const phoneNumber = toInternationalPhone(
      checked.subscriber.phoneNumber,
      this.options.defaultCountry,
    );
    if (phoneNumber === null)
      throw new PaymentsValidationError([unreadablePhone(this.options.defaultCountry)]);
    const served = COUNTRIES[checked.amount.currency];
    const country = countryOf(phoneNumber);
    if (served !== undefined && country !== served)
      throw new PaymentsValidationError([foreignPhone(checked.amount.currency, served, country)]);
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

/** Whose phones hold money of a currency, where that is one country: no other phone can be prompted for it. */
const COUNTRIES: Readonly<Record<string, string | undefined>> = {
  KES: 'KE',
  UGX: 'UG',
  TZS: 'TZ',
  RWF: 'RW',
  ZMW: 'ZM',
  GHS: 'GH',
};

function foreignPhone(
  currency: string,
  served: string,
  country: string | null,
): { field: string; problem: string } {
  return {
    field: 'subscriber.phoneNumber',
    problem: `is a number of ${country ?? 'no country'}, and ${currency} is paid from mobile phones of ${served}: nothing could be prompted`,
  };
}

function unreadablePhone(defaultCountry: string | undefined): { field: string; problem: string } {
  return {
    field: 'subscriber.phoneNumber',
    problem: defaultCountry
      ? `must be a valid mobile number, in international form or as written in ${defaultCountry}; a landline holds no mobile money`
      : 'must be a mobile number in international form, such as +254700000001 (or set PAYMENTS_DEFAULT_COUNTRY)',
  };
}
