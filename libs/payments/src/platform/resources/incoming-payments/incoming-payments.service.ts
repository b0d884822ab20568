import { PaymentsValidationError, UnknownOutcomeError } from '../../../payments.errors.js';
import type { ApiVersion, CurrentSettings } from '../../../work/payments.settings.js';
import type { Runtime } from '../../../work/runtime.js';
import { toMinorUnits } from '../../../money/money.js';
import { phoneHash } from '../../../money/phone-number.js';
import type { BareRequest } from '../../../store/bare-requests.store.js';
import type { BareRequests } from '../../bare-requests.js';
import { BARE_PREFIX, type CallbackUrls } from '../../../work/callback-urls.js';
import { tillOfAnother, tillOf } from '../../default-till.js';
import { readMobilePhone } from '../../../work/mobile-phone.js';
import type { CreatedResource, PlatformClient } from '../../platform-client.js';
import type { CreateOutcome, Sending } from '../../../work/sending.js';
import { expectEnvelope } from '../../envelope.reader.js';
import { validateInput } from '../../../work/validate-input.js';
import { VersionedCollection } from '../../versioned-collection.js';
import { CreateIncomingPaymentDto } from './create-incoming-payment.dto.js';
import {
  INCOMING_PAYMENT_TYPE,
  readIncomingPayment,
  toWireIncomingPayment,
  type CompleteIncomingPayment,
  type IncomingPayment,
} from './incoming-payment.resource.js';
import { Concealed } from '../../../work/concealed.decorator.js';

/**
 * The bare resource: asks the platform to debit a subscriber, without idempotency key and without following the outcome. Use
 * `PaymentsService` instead for payments that must not be charged twice and whose outcome must be found.
 * @publicApi
 */
@Concealed()
export class IncomingPaymentsService {
  private readonly collection: VersionedCollection;

  constructor(
    private readonly client: PlatformClient,
    private readonly urls: CallbackUrls,
    private readonly bareRequests: BareRequests,
    private readonly settings: CurrentSettings,
    private readonly runtime: Runtime,
  ) {
    const version = (): ApiVersion => settings.current.apiVersions.incomingPayments;
    this.collection = new VersionedCollection(client, 'incoming_payments', version);
  }

  /**
   * Prompts the customer to pay: each call that succeeds can charge the customer once. The platform posts the result to
   * `callbackUrl`. When it posts to our own URL, we emit `incoming-payment.completed`.
   * @returns the id and the URL of the new resource
   * @throws PaymentsValidationError when the input is wrong; nothing was sent
   * @throws PlatformUnreachableError | PlatformTimeoutError when the platform is unreachable before the create; nothing was sent
   * @throws StoreUnavailableError when the request cannot be stored; nothing was sent
   * @throws PlatformRejectedError when the platform refused; nobody is charged
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
      const created = await this.client.create(
        'create incoming payment',
        this.collection.path,
        toWireIncomingPayment(complete),
      );
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
  async get(id: string): Promise<IncomingPayment> {
    const operation = 'get incoming payment';
    const body = await this.collection.read(operation, id);
    const envelope = expectEnvelope(operation, body, id, INCOMING_PAYMENT_TYPE);
    return readIncomingPayment({ ...envelope, latest: this.client.clock.latestTime() });
  }

  /**
   * Sends a payment that is complete and recorded, within a time limit.
   * @internal
   */
  post(payment: CompleteIncomingPayment, sending: Sending): Promise<CreateOutcome> {
    return this.client.attempt(
      'create incoming payment',
      this.collection.path,
      toWireIncomingPayment(payment),
      sending,
    );
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
