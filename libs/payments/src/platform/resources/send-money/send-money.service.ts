import type { CurrentSettings } from '../../../work/payments.settings.js';
import { Concealed } from '../../../work/concealed.decorator.js';
import { assertBareCreates } from '../../bare-creates.js';
import type { BareCallbacks } from '../../bare-callbacks.js';
import type { Sending, CreateOutcome } from '../../../work/sending.js';
import type { CreatedResource, PlatformClient } from '../../platform-client.js';
import { expectEnvelope } from '../../envelope.reader.js';
import { resourceId } from '../../resource-id.js';
import { SendMoneyFields, type CreateSendMoneyDto } from './create-send-money.dto.js';
import {
  readSendMoney,
  SEND_MONEY_TYPE,
  toWireSendMoney,
  type CompleteSendMoney,
  type SendMoney,
} from './send-money.resource.js';
import { validateSendMoney } from './send-money-validation.js';

const PATH = '/api/v2/send_money';
const CREATE = 'create send money';

/**
 * The bare resource: sends money out, without idempotency key and without following the outcome. A payout that was sent twice is
 * paid twice.
 * @see docs/conformance.md#send-money
 * @publicApi
 */
@Concealed()
export class SendMoneyService {
  constructor(
    private readonly client: PlatformClient,
    private readonly callbacks: BareCallbacks,
    private readonly settings: CurrentSettings,
  ) {}

  /**
   * Sends money to destinations, or ALL funds: each call that succeeds can move the money once. The platform posts the results to
   * `callbackUrl`. When it posts to our own URL, we emit `send-money.completed`.
   * @returns the id and the URL of the new resource
   * @throws PaymentsValidationError when the input is wrong, also when `destinations` is empty or missing and `sweepAllFunds` is not
   * true; nothing was sent
   * @throws PayoutLimitError when the account has `payouts.limits`, which this call would pass; nothing was sent
   * @throws PlatformUnreachableError | PlatformTimeoutError when the platform is unreachable before the create; nothing was sent
   * @throws PlatformRejectedError when the platform refused; no money moves
   * @throws UnknownOutcomeError when the money may have been sent: do not send it again
   * @example
   * const { id } = await sendMoney.create({
   *   currency: 'KES',
   *   destinations: [
   *     { type: 'mobile_wallet', phoneNumber: '+254700000001', network: 'Safaricom', amount: '1000.00', description: 'Wages' },
   *   ],
   * });
   */
  async create(dto: CreateSendMoneyDto): Promise<CreatedResource> {
    assertBareCreates(this.settings.current);
    const checked = validateSendMoney(SendMoneyFields, dto, this.settings.current);
    const callbackUrl = this.callbacks.urlOf('send-money', checked.callbackUrl);
    return this.client.create(CREATE, PATH, toWireSendMoney(this.complete(checked, callbackUrl)));
  }

  /**
   * Reads a request to send money. No money moves.
   * @throws PlatformRejectedError with status 404 when the platform does not have the id
   * @throws PlatformUnavailableError | PlatformTimeoutError | PlatformUnreachableError after several attempts
   */
  async get(id: string): Promise<SendMoney> {
    const operation = 'get send money';
    const body = await this.client.read(operation, `${PATH}/${resourceId(id)}`);
    return readSendMoney(expectEnvelope(operation, body, id, SEND_MONEY_TYPE));
  }

  /**
   * Sends a request that is complete and recorded, within a time limit.
   * @throws PaymentsValidationError when it has no destination and does not say `sweepAllFunds`; nothing was sent
   * @internal
   */
  async post(request: CompleteSendMoney, sending: Sending): Promise<CreateOutcome> {
    return this.client.attempt(CREATE, PATH, toWireSendMoney(request), sending);
  }

  /**
   * The request as it is sent. Its fields must have been checked by `validateSendMoney`.
   * @internal
   */
  complete(checked: SendMoneyFields, callbackUrl: string): CompleteSendMoney {
    const { currency, destinations, sweepAllFunds, sourceIdentifier, metadata } = checked;
    return {
      currency,
      ...(destinations && { destinations }),
      ...(sweepAllFunds && { sweepAllFunds }),
      ...(sourceIdentifier != null && { sourceIdentifier }),
      ...(metadata && { metadata }),
      callbackUrl,
    };
  }
}
