import type { CurrentSettings } from '../../../work/payments.settings.js';
import type { BareCallbacks } from '../../bare-callbacks.js';
import type { CreatedResource, PlatformClient } from '../../platform-client.js';
import { expectEnvelope } from '../../envelope.reader.js';
import { validateInput } from '../../../work/validate-input.js';
import { VersionedCollection } from '../../versioned-collection.js';
import { CreatePollingDto } from './create-polling.dto.js';
import { POLLING_TYPE, readPolling, toWirePolling, type Polling } from './polling.resource.js';
import { LIMITS } from '../../../payments-defaults.js';
import { Concealed } from '../../../work/concealed.decorator.js';

/**
 * Lists the transactions of a time window. No money moves.
 * @see docs/conformance.md#polling
 * @publicApi
 */
@Concealed()
export class PollingService {
  private readonly collection: VersionedCollection;

  constructor(
    private readonly client: PlatformClient,
    private readonly callbacks: BareCallbacks,
    settings: CurrentSettings,
  ) {
    this.collection = new VersionedCollection(
      client,
      'polling',
      () => settings.current.apiVersions.polling,
    );
  }

  /**
   * Requests the transactions of a window. The platform posts the result to `callbackUrl`. When it posts to our own URL, we emit
   * `polling.completed`, unless it is larger than 1 MB: then read it with `get(id)`. No money moves.
   * @returns the id and the URL of the new resource; read it with `get(id)`
   * @throws PaymentsValidationError when the input is wrong; nothing was sent
   * @throws PlatformRejectedError when the platform refused
   * @throws UnknownOutcomeError when the platform may have processed the request; a repeat does no harm
   * @example
   * const { id } = await polling.create({ fromTime: '2026-01-31T08:00:00+03:00', toTime: '2026-01-31T09:00:00+03:00' });
   */
  async create(dto: CreatePollingDto): Promise<CreatedResource> {
    const checked = validateInput(CreatePollingDto, dto);
    return this.post(checked, this.callbacks.urlOf('polling', checked.callbackUrl));
  }

  /**
   * Sends a request whose fields were checked.
   * @internal
   */
  post(polling: CreatePollingDto, callbackUrl: string): Promise<CreatedResource> {
    return this.client.create(
      'create polling',
      this.collection.path,
      toWirePolling(polling, callbackUrl),
      'read',
    );
  }

  /**
   * Reads a polling request. Its transactions are complete when its status is `Success`.
   * @throws PlatformRejectedError with status 404 when the platform does not have the id, or not yet
   * @throws PlatformAnswerTooLargeError when the answer is larger than 80 MB
   */
  async get(id: string): Promise<Polling> {
    const operation = 'get polling';
    const body = await this.collection.read(operation, id, LIMITS.pollingResultBytes);
    const envelope = expectEnvelope(operation, body, id, POLLING_TYPE);
    return readPolling({ ...envelope, latest: this.client.clock.latestTime() });
  }
}
