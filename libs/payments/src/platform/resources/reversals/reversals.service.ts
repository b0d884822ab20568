import { Concealed } from '../../../work/concealed.decorator.js';
import type { BareCallbacks } from '../../bare-callbacks.js';
import type { Sending, CreateOutcome } from '../../../work/sending.js';
import type { CreatedResource, PlatformClient } from '../../platform-client.js';
import { expectEnvelope } from '../../envelope.reader.js';
import { resourceId } from '../../resource-id.js';
import { validateInput } from '../../../work/validate-input.js';
import { CreateReversalDto } from './create-reversal.dto.js';
import {
  readReversal,
  REVERSAL_TYPES,
  toWireReversal,
  type CompleteReversal,
  type Reversal,
} from './reversal.resource.js';

const PATH = '/api/v2/reversals';
const CREATE = 'create reversal';

/**
 * The bare resource: sends received money back to the customer who paid it, without idempotency key and without following the outcome.
 * @see docs/conformance.md#reversals
 * @publicApi
 */
@Concealed()
export class ReversalsService {
  constructor(
    private readonly client: PlatformClient,
    private readonly callbacks: BareCallbacks,
  ) {}

  /**
   * Asks the platform to send the whole money of a transaction back. The platform posts the result to `callbackUrl`. When it posts to
   * our own URL, we emit `reversal.completed`.
   * @returns the id and the URL of the new resource
   * @throws PaymentsValidationError when the input is wrong; nothing was sent
   * @throws PlatformUnreachableError | PlatformTimeoutError when the platform is unreachable before the create; nothing was sent
   * @throws PlatformRejectedError when the platform refused, also when a reversal of the transaction is in progress; this request moves
   * no money
   * @throws UnknownOutcomeError when the money may go back: do not send it again
   * @example
   * const { id } = await reversals.create({ transactionReference: 'TX12345678', reason: 'The goods are out of stock' });
   */
  async create(dto: CreateReversalDto): Promise<CreatedResource> {
    const { callbackUrl, ...checked } = validateInput(CreateReversalDto, dto);
    const reversal = { ...checked, callbackUrl: this.callbacks.urlOf('reversals', callbackUrl) };
    return this.client.create(CREATE, PATH, toWireReversal(reversal));
  }

  /**
   * Reads a reversal. No money moves.
   * @throws PlatformRejectedError with status 404 when the platform does not have the id
   * @throws PlatformUnavailableError | PlatformTimeoutError | PlatformUnreachableError after several attempts
   */
  async get(id: string): Promise<Reversal> {
    const operation = 'get reversal';
    const body = await this.client.read(operation, `${PATH}/${resourceId(id)}`);
    return readReversal(expectEnvelope(operation, body, id, ...REVERSAL_TYPES));
  }

  /**
   * Sends a request that is checked and recorded, within a time limit.
   * @internal
   */
  post(reversal: CompleteReversal, sending: Sending): Promise<CreateOutcome> {
    return this.client.attempt(CREATE, PATH, toWireReversal(reversal), sending);
  }
}
