import type { CurrentSettings } from '../../../work/payments.settings.js';
import { Concealed } from '../../../work/concealed.decorator.js';
import type { BareCallbacks } from '../../bare-callbacks.js';
import { tillOfAnother, tillOf } from '../../default-till.js';
import type { Sending, CreateOutcome } from '../../../work/sending.js';
import type { CreatedResource, PlatformClient } from '../../platform-client.js';
import { expectEnvelope } from '../../envelope.reader.js';
import { resourceId } from '../../resource-id.js';
import { validateInput } from '../../../work/validate-input.js';
import { CreatePaymentLinkDto } from './create-payment-link.dto.js';
import {
  PAYMENT_LINK_TYPE,
  readPaymentLink,
  toWirePaymentLink,
  type CompletePaymentLink,
  type PaymentLinkResource,
} from './payment-link.resource.js';

const PATH = '/api/v2/payment_links';
const CREATE = 'create payment link';

/**
 * The bare resource: links at which customers can pay, without idempotency key and without following the outcome.
 * @see docs/conformance.md#payment-links
 * @publicApi
 */
@Concealed()
export class BarePaymentLinksService {
  constructor(
    private readonly client: PlatformClient,
    private readonly callbacks: BareCallbacks,
    private readonly settings: CurrentSettings,
  ) {}

  /**
   * Creates a link. Nobody is charged until a customer pays at it. The platform posts the result to `callbackUrl`. When it posts to our
   * own URL, we emit `bare-payment-link.completed`.
   * @returns the id and the URL of the new resource; read it with `get(id)` for the URL at which the customer pays
   * @throws PaymentsValidationError when the input is wrong, or there is no till; nothing was sent
   * @throws PlatformUnreachableError | PlatformTimeoutError when the platform is unreachable before the create; nothing was sent
   * @throws PlatformRejectedError when the platform refused; there is no link
   * @throws UnknownOutcomeError when there may be a link: after a repeat there may be two, of which nobody knows the first
   * @example
   * const { id } = await links.create({ amount: { currency: 'KES', value: '100.00' }, paymentReference: 'order-1042' });
   */
  async create(dto: CreatePaymentLinkDto): Promise<CreatedResource> {
    const checked = validateInput(CreatePaymentLinkDto, dto);
    await this.client.upToDate();
    const callbackUrl = this.callbacks.urlOf('payment-links', checked.callbackUrl);
    const complete = this.complete(checked, callbackUrl);
    const other = tillOfAnother(complete.tillNumber, this.settings.current);
    if (other) throw other;
    return this.client.create(CREATE, PATH, toWirePaymentLink(complete));
  }

  /**
   * Reads a link. Nobody is charged.
   * @throws PlatformRejectedError with status 404 when the platform does not have the id
   * @throws PlatformUnavailableError | PlatformTimeoutError | PlatformUnreachableError after several attempts
   */
  async get(id: string): Promise<PaymentLinkResource> {
    const operation = 'get payment link';
    const body = await this.client.read(operation, `${PATH}/${resourceId(id)}`);
    const envelope = expectEnvelope(operation, body, id, PAYMENT_LINK_TYPE);
    return readPaymentLink({ ...envelope, latest: this.client.clock.latestTime() });
  }

  /**
   * Cancels a link: nobody can pay at it any more. Money that was paid before stays paid, so read the link afterwards. No money moves, and
   * cancelling twice does not differ from once: an attempt without an answer is repeated, and you can call it again after any error.
   * @throws PlatformRejectedError when the platform refused. An earlier attempt, whose answer was lost, may have cancelled the link, or a
   * customer may have paid: read the link
   * @throws PlatformUnavailableError | PlatformTimeoutError | PlatformUnreachableError after several attempts; the link may be cancelled
   * @example
   * await links.cancel(id);
   * const { link } = await links.get(id);
   */
  async cancel(id: string): Promise<void> {
    await this.client.command('cancel payment link', `${PATH}/${resourceId(id)}/cancel`);
  }

  /**
   * Sends a request that is complete and recorded, within a time limit.
   * @internal
   */
  post(request: CompletePaymentLink, sending: Sending): Promise<CreateOutcome> {
    return this.client.attempt(CREATE, PATH, toWirePaymentLink(request), sending);
  }

  /**
   * Fills in the defaults of the options. The fields of the request must be checked before.
   * @throws PaymentsValidationError when there is no default till
   * @internal
   */
  complete(checked: CreatePaymentLinkDto, callbackUrl: string): CompletePaymentLink {
    const { amount, paymentReference, note, metadata } = checked;
    return {
      tillNumber: tillOf(checked.tillNumber, this.settings.current),
      amount: { currency: amount.currency, value: amount.value },
      ...(paymentReference != null && { paymentReference }),
      ...(note != null && { note }),
      ...(metadata && { metadata }),
      callbackUrl,
    };
  }
}
