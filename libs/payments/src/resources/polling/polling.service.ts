import type { PlatformClocks } from '../../http/platform.clock.js';
import type { CurrentSettings } from '../../payments.settings.js';
import type { Runtime } from '../../runtime/runtime.js';
import type { BareRequests } from '../bare-requests.js';
import { BARE_PREFIX, type CallbackUrls } from '../callback-urls.js';
import type { CreatedResource, PlatformClient } from '../platform.client.js';
import { expectEnvelope } from '../resource-envelope.js';
import { validateInput } from '../validate-input.js';
import { VersionedCollection } from '../versioned-collection.js';
import { CreatePollingDto } from './create-polling.dto.js';
import { POLLING_TYPE, readPolling, toWirePolling, type Polling } from './polling.resource.js';
import { Concealed } from '../../values/concealed.decorator.js';

/** A polling result lists all transactions of its window, so it may be this many times larger than other answers. */
const SIZE_FACTOR = 10;

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
    private readonly urls: CallbackUrls,
    private readonly bareRequests: BareRequests,
    private readonly clocks: PlatformClocks,
    private readonly settings: CurrentSettings,
    private readonly runtime: Runtime,
  ) {
    this.collection = new VersionedCollection(
      client,
      'polling',
      () => settings.current.apiVersions.polling,
    );
  }

  /**
   * Requests the transactions of a window. The platform posts the result to `callbackUrl`. When it posts to our own URL, we emit
   * `polling.completed`. No money moves.
   * @returns the id and the URL of the new resource; read it with `get(id)`
   * @throws PaymentsValidationError when the input is wrong; nothing was sent
   * @throws PlatformRejectedError when the platform refused
   * @throws UnknownOutcomeError when the platform may have processed the request; a repeat does no harm
   * @example
   * const { id } = await polling.create({ fromTime: '2026-01-31T08:00:00+03:00', toTime: '2026-01-31T09:00:00+03:00' });
   */
  async create(dto: CreatePollingDto): Promise<CreatedResource> {
    const checked = validateInput(CreatePollingDto, dto);
    const id = BARE_PREFIX + this.runtime.id();
    const callbackUrl =
      checked.callbackUrl ?? this.urls.callback(this.settings.current.account, 'polling', id);
    const created = await this.post(checked, callbackUrl);
    if (checked.callbackUrl === undefined)
      await this.bareRequests.keep(this.settings.current.account, {
        id,
        resource: 'polling',
        platformId: created.id,
        sentAt: this.clocks.of(this.settings.current.account).now(),
        money: null,
      });
    return created;
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
   * @throws PlatformAnswerTooLargeError when the answer is ten times larger than `http.maxResponseBytes`
   */
  async get(id: string): Promise<Polling> {
    const operation = 'get polling';
    const body = await this.collection.read(
      operation,
      id,
      this.settings.current.http.maxResponseBytes * SIZE_FACTOR,
    );
    return readPolling(expectEnvelope(operation, body, id, POLLING_TYPE));
  }
}
