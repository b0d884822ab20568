import { Inject, Injectable } from '@nestjs/common';
import { PlatformClock } from '../../http/platform.clock.js';
import { RESOLVED_OPTIONS } from '../../payments.constants.js';
import type { ResolvedPaymentsOptions } from '../../payments.options.js';
import { Runtime } from '../../runtime/runtime.js';
import { BareRequests } from '../bare-requests.js';
import { BARE_PREFIX, CallbackUrls } from '../callback-urls.js';
import { PlatformClient, type CreatedResource } from '../platform.client.js';
import { expectEnvelope } from '../resource-envelope.js';
import { resourceId } from '../resource-id.js';
import { validateInput } from '../validate-input.js';
import { CreatePollingDto } from './create-polling.dto.js';
import { POLLING_TYPE, readPolling, toWirePolling, type Polling } from './polling.resource.js';

const PATH = '/api/v2/polling';

/** A polling result lists every transaction of its window, so it may be this many times as large as another answer. */
const SIZE_FACTOR = 10;

/** Lists of the transactions of a time window (spec 4.6, 4.7). @publicApi */
@Injectable()
export class PollingService {
  constructor(
    private readonly client: PlatformClient,
    private readonly urls: CallbackUrls,
    private readonly bareRequests: BareRequests,
    private readonly clock: PlatformClock,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
    private readonly runtime: Runtime,
  ) {}

  /**
   * Asks for the transactions of a window. The result is posted to `callbackUrl`; posted to our own URL, it becomes the
   * event `polling.completed`. No money moves.
   * @throws PaymentsValidationError before anything is sent
   * @throws UnknownOutcomeError when it may have happened; asking again does no harm
   */
  async create(dto: CreatePollingDto): Promise<CreatedResource> {
    const checked = validateInput(CreatePollingDto, dto);
    const id = BARE_PREFIX + this.runtime.id();
    const callbackUrl = checked.callbackUrl ?? this.urls.callback('polling', id);
    const created = await this.send(checked, callbackUrl);
    if (checked.callbackUrl === undefined)
      await this.bareRequests.keep({
        id,
        resource: 'polling',
        platformId: created.id,
        sentAt: this.clock.now(),
        money: null,
      });
    return created;
  }

  /**
   * Sends a request whose fields are right.
   * @internal
   */
  send(polling: CreatePollingDto, callbackUrl: string): Promise<CreatedResource> {
    return this.client.create('create polling', PATH, toWirePolling(polling, callbackUrl));
  }

  /** Reads a polling request, with its transactions once its status is `Success` (spec 4.7). */
  async get(id: string): Promise<Polling> {
    const operation = 'get polling';
    const path = `${PATH}/${resourceId(id)}`;
    const body = await this.client.read(
      operation,
      path,
      this.options.http.maxResponseBytes * SIZE_FACTOR,
    );
    return readPolling(expectEnvelope(operation, body, id, POLLING_TYPE));
  }
}
