import { Concealed } from '../../../work/concealed.decorator.js';
import { assertBareCreates } from '../../bare-creates.js';
import type { CurrentSettings } from '../../../work/payments.settings.js';
import type { BareCallbacks } from '../../bare-callbacks.js';
import type { CreatedResource, PlatformClient } from '../../platform-client.js';
import { expectEnvelope } from '../../envelope.reader.js';
import { resourceId } from '../../resource-id.js';
import { validateInput } from '../../../work/validate-input.js';
import { CreatePayDto } from './create-pay.dto.js';
import { PAY_TYPE, readPay, toWirePay, type Pay } from './pay.resource.js';

const PATH = '/api/v1/payments';

/**
 * The bare resource: pays a recipient, without idempotency key and without following the outcome.
 * @deprecated The platform replaced it: use `SendMoneyService`.
 * @see docs/conformance.md#pay
 * @publicApi
 */
@Concealed()
export class PayService {
  constructor(
    private readonly client: PlatformClient,
    private readonly callbacks: BareCallbacks,
    private readonly settings: CurrentSettings,
  ) {}

  /**
   * Pays a recipient: each call that succeeds can move the money once. The platform posts the results to `callbackUrl`. When it posts to
   * our own URL, we emit `pay.completed`.
   * @returns the id and the URL of the new resource
   * @throws PaymentsValidationError when the input is wrong; nothing was sent
   * @throws PayoutLimitError when the account has `payouts.limits`, which this call would pass; nothing was sent
   * @throws PlatformUnreachableError | PlatformTimeoutError when the platform is unreachable before the create; nothing was sent
   * @throws PlatformRejectedError when the platform refused; no money moves
   * @throws UnknownOutcomeError when the recipient may have been paid: do not send it again
   * @example
   * const { id } = await pay.create({
   *   destinationType: 'mobile_wallet',
   *   destinationReference: 'recipient-1',
   *   amount: { currency: 'KES', value: '1000.00' },
   *   description: 'Wages',
   * });
   */
  async create(dto: CreatePayDto): Promise<CreatedResource> {
    assertBareCreates(this.settings.current);
    const checked = validateInput(CreatePayDto, dto);
    const callbackUrl = this.callbacks.urlOf('pay', checked.callbackUrl);
    return this.client.create('create pay', PATH, toWirePay(checked, callbackUrl));
  }

  /**
   * Reads a payment to a recipient. No money moves.
   * @throws PlatformRejectedError with status 404 when the platform does not have the id
   * @throws PlatformUnavailableError | PlatformTimeoutError | PlatformUnreachableError after several attempts
   */
  async get(id: string): Promise<Pay> {
    const operation = 'get pay';
    const body = await this.client.read(operation, `${PATH}/${resourceId(id)}`);
    return readPay(expectEnvelope(operation, body, id, PAY_TYPE));
  }
}
