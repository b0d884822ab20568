import { Type } from 'class-transformer';
import { IsDefined, IsEmail, IsObject, IsOptional, ValidateNested } from 'class-validator';
import type { CurrentSettings } from '../../accounts/payments.settings.js';
import { type Amount, toMinorUnits } from '../../money/money.js';
import { phoneHash } from '../../money/phone-number.js';
import { tillNumberProblem } from '../../money/till-number.js';
import type { Transaction } from '../../money/transaction.js';
import { type Metadata, metadataProblem, secureUrlProblem } from '../../money/values.js';
import { PaymentsValidationError } from '../../payments.errors.js';
import { UnknownOutcomeError } from '../../platform.errors.js';
import type { Runtime } from '../../runtime/clock.js';
import { Concealed, filled, Satisfies, validateInput } from '../../runtime/validate-input.js';
import type { BareRequest } from '../../store/bare-requests.store.js';
import { type BareRequests, tillOf, tillOfAnother } from '../bare-requests.js';
import { BARE_PREFIX, type CallbackUrls } from '../callback-urls.js';
import { AmountDto, phoneProblem, readMobilePhone } from '../input.dto.js';
import type { CreatedResource, PlatformClient } from '../platform-client.js';
import { attemptResource, createResource, getResource } from '../resource-requests.js';
import { metadata, type ResourceTable, type Shown, text } from '../resource-table.js';
import type { CreateOutcome, Sending } from '../sending.js';
import { readTransaction } from '../transaction.resource.js';
import {
  toWireAmount,
  toWireFields,
  toWireRequest,
  wireObject,
  type WireObject,
  wireText,
  wireTexts,
} from '../wire-value.js';

/**
 * The bare resource: asks the platform to debit a subscriber, without idempotency key and without following the outcome. Use
 * `PaymentsService` instead for payments that must not be charged twice and whose outcome must be found.
 * @publicApi
 */
@Concealed()
export class IncomingPaymentsService {
  constructor(
    private readonly client: PlatformClient,
    private readonly urls: CallbackUrls,
    private readonly bareRequests: BareRequests,
    private readonly settings: CurrentSettings,
    private readonly runtime: Runtime,
  ) {}

  /**
   * Prompts the customer to pay: each call that succeeds can charge the customer once. The platform posts the result to
   * `callbackUrl`. When it posts to our own URL, we emit `incoming-payment.completed`.
   * @returns the id and the URL of the new resource
   * @throws PaymentsValidationError when the input is wrong; nothing was sent
   * @throws StoreUnavailableError when the request cannot be stored; nothing was sent
   * @throws PlatformRejectedError when the platform refused; nobody is charged
   * @throws PlatformUnreachableError | PlatformTimeoutError | PlatformUnauthorizedError | PlatformRateLimitedError | PlatformRedirectError |
   * InterceptedRequestError | AccountRemovedError | SendingPausedError | StoreUnavailableError when it was certainly not processed, for as long as `sending.sendBeforeMs` (60 s)
   * @throws UnknownOutcomeError when the customer may have been prompted: do not send it again
   * @example
   * const { id } = await incomingPayments.create({
   *   subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber: '+254700000001' },
   *   amount: { currency: 'KES', value: '100.00' },
   * });
   * @see docs/conformance.md#incoming-payments
   */
  async create(dto: CreateIncomingPaymentDto): Promise<CreatedResource> {
    const checked = validateInput(CreateIncomingPaymentDto, dto);
    await this.client.upToDate();
    const id = BARE_PREFIX + this.runtime.id();
    const callbackUrl =
      checked.callbackUrl ??
      this.urls.callback(this.settings.current.account, 'incoming-payments', id);
    const complete = this.complete(checked, callbackUrl);
    const other = tillOfAnother(complete.tillNumber, this.settings.current);
    if (other) throw other;
    const clock = await this.client.learnClock();
    const { account } = this.settings.current;
    const asked: BareRequest = {
      id,
      resource: 'incoming-payments',
      platformId: null,
      sentAt: clock.now(),
      money: this.moneyOf(complete),
    };
    // Stored before it is sent: even if this process dies, its transaction must not be matched to a payment.
    await this.bareRequests.remember(account, asked);
    try {
      const body = toWireIncomingPayment(complete);
      const created = await createResource(this.client, INCOMING_PAYMENT, body);
      await this.bareRequests.keep(account, { ...asked, platformId: created.id });
      return created;
    } catch (error) {
      // A request that was certainly refused or not sent has no transaction.
      if (!(error instanceof UnknownOutcomeError))
        await this.bareRequests.keep(account, { ...asked, money: null });
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

  /**
   * Reads a payment request. Nobody is charged.
   * @throws PlatformRejectedError with status 404 when the platform does not have the id
   * @throws PlatformUnavailableError | PlatformTimeoutError | PlatformUnreachableError after several attempts
   * @see docs/conformance.md#incoming-payments
   */
  get(id: string): Promise<IncomingPayment> {
    return getResource(this.client, INCOMING_PAYMENT, id);
  }

  /**
   * Sends a payment that is complete and recorded, within a time limit.
   * @internal
   */
  post(payment: CompleteIncomingPayment, sending: Sending): Promise<CreateOutcome> {
    const body = toWireIncomingPayment(payment);
    return attemptResource(this.client, INCOMING_PAYMENT, body, sending);
  }

  /**
   * Fills in the defaults of the options. The fields of the request must be checked before.
   * @throws PaymentsValidationError when there is no default till, or the phone number is not of the currency's country
   * @internal
   */
  complete(checked: CreateIncomingPaymentDto, callbackUrl: string): CompleteIncomingPayment {
    const { phoneNumber, problem } = readMobilePhone(
      checked.subscriber.phoneNumber,
      this.settings.current,
      checked.amount.currency,
    );
    if (problem !== undefined)
      throw new PaymentsValidationError([{ field: 'subscriber.phoneNumber', problem }]);
    const { firstName, middleName, lastName, email } = checked.subscriber;
    const { currency, value } = checked.amount;
    return {
      paymentChannel: checked.paymentChannel ?? this.settings.current.channel,
      tillNumber: tillOf(checked.tillNumber, this.settings.current),
      subscriber: {
        firstName,
        ...(middleName != null && { middleName }),
        lastName,
        phoneNumber,
        ...(email != null && { email }),
      },
      amount: { currency, value },
      ...(checked.metadata && { metadata: checked.metadata }),
      callbackUrl,
    };
  }
}

/**
 * The customer who is asked to pay.
 * @see docs/conformance.md#incoming-payments
 * @publicApi
 */
export class SubscriberDto {
  @Satisfies(filled)
  firstName: string;

  @IsOptional()
  @Satisfies(filled)
  middleName?: string;

  @Satisfies(filled)
  lastName: string;

  /** Mobile number in international form with `+`, or as written in `defaultCountry`: `+254700000001`, `0700 000 001`. */
  @Satisfies(phoneProblem)
  phoneNumber: string;

  @IsOptional()
  @IsEmail({}, { message: '$property must be an e-mail address' })
  email?: string;
}

/**
 * A request to debit a subscriber.
 * @see docs/conformance.md#incoming-payments
 * @publicApi
 */
export class CreateIncomingPaymentDto {
  /** Name of the push-payment channel: `M-PESA STK Push`. @default the option `channel` */
  @IsOptional()
  @Satisfies(filled)
  paymentChannel?: string;

  /** Till number, or online payment account number, which starts with `K`. @default the option `tillNumber` */
  @IsOptional()
  @Satisfies(tillNumberProblem)
  tillNumber?: string;

  @IsDefined({ message: '$property is missing' })
  @IsObject({ message: '$property must be an object' })
  @ValidateNested()
  @Type(() => SubscriberDto)
  subscriber: SubscriberDto;

  @IsDefined({ message: '$property is missing' })
  @IsObject({ message: '$property must be an object' })
  @ValidateNested()
  @Type(() => AmountDto)
  amount: AmountDto;

  /** The host's own data, at most 5 keys. The platform sends it back with the result. */
  @IsOptional()
  @Satisfies(metadataProblem)
  metadata?: Metadata;

  /**
   * `https:` URL to which the platform posts the result. With another URL than the default we emit no event for it.
   * @default our callback URL
   */
  @IsOptional()
  @Satisfies(secureUrlProblem)
  callbackUrl?: string;
}

export const INCOMING_PAYMENT = {
  noun: 'incoming payment',
  path: '/api/{version}/incoming_payments',
  version: 'incomingPayments',
  types: ['incoming_payment'],
  callback: 'incoming-payments',
  fields: {
    /** ISO 8601, as the platform wrote it. */
    initiationTime: text,
    /** `Success` and `Failed` are final; any other status is not. */
    status: text,
    event: readEvent,
    /** The metadata of the request. */
    metadata,
  },
} satisfies ResourceTable;

/**
 * An incoming payment as the platform shows it. A field that the platform did not send is null.
 * @see docs/conformance.md#incoming-payments
 * @publicApi
 */
export interface IncomingPayment extends Shown<typeof INCOMING_PAYMENT> {}

function readEvent(
  wire: WireObject,
  _name: string,
  latest: number | undefined,
): {
  type: string | null;
  /** The resulting transaction; null when there is none, or none yet. */
  resource: Transaction | null;
  /** The platform's error messages on a failure; else empty. */
  errors: string[];
} {
  const event = wireObject(wire['event']);
  return {
    type: wireText(event?.['type']),
    resource: readTransaction(event?.['resource'], event?.['type'], 'operation', latest),
    errors: wireTexts(event?.['errors']),
  };
}

/** A request with all defaults filled in, and the phone number in international form. */
interface CompleteIncomingPayment {
  paymentChannel: string;
  tillNumber: string;
  subscriber: SubscriberDto;
  amount: Amount;
  metadata?: Metadata;
  callbackUrl: string;
}

function toWireIncomingPayment(payment: CompleteIncomingPayment): WireObject {
  const { paymentChannel, tillNumber, amount, metadata, callbackUrl } = payment;
  const { firstName, middleName, lastName, phoneNumber, email } = payment.subscriber;
  const subscriber = toWireFields({ firstName, middleName, lastName, phoneNumber, email });
  const fields = { paymentChannel, tillNumber, subscriber, amount: toWireAmount(amount), metadata };
  return toWireRequest(fields, callbackUrl);
}
