import { optional, required, type BodySchema } from '../server/body.dto.js';
import { links } from '../server/field.rules.js';
import { Refusal, type PlatformAnswer } from '../server/platform-answer.dto.js';
import type { PlatformExchange, PlatformRoute } from '../server/platform-exchange.dto.js';
import type { RequestPipeline } from '../server/request-pipeline.service.js';
import type { SimulatorSettings } from '../simulator.options.js';
import type { Tills } from '../tills/tills.service.js';
import { parseTimestamp } from '../values/timestamp.js';
import { POLLING_PATH, type CreatePollingBody, type PollingRequests } from './polling.service.js';

const RESOURCE = 'polling';

const timeError = (value: unknown) =>
  Number.isNaN(parseTimestamp(value)) ? 'must be an ISO 8601 time with an offset' : null;

/** The polling endpoints: create and read. */
export class PollingRoutes {
  private readonly schema: BodySchema;

  constructor(
    settings: SimulatorSettings,
    private readonly pipeline: RequestPipeline,
    private readonly tills: Tills,
    private readonly pollings: PollingRequests,
  ) {
    this.schema = {
      scope: required((value) =>
        value === 'company' || value === 'till' ? null : 'must be company or till',
      ),
      scope_reference: optional((value) =>
        typeof value === 'string' || value === null ? null : 'must be a string or null',
      ),
      from_time: required(timeError),
      to_time: required(timeError),
      _links: links(settings.allowPlainCallbackHosts),
    };
  }

  routes(): PlatformRoute[] {
    return [
      { method: 'POST', path: POLLING_PATH, handle: (exchange) => this.create(exchange) },
      { method: 'GET', path: `${POLLING_PATH}/:id`, handle: (exchange) => this.get(exchange) },
    ];
  }

  private async create(exchange: PlatformExchange): Promise<PlatformAnswer> {
    this.pipeline.authorise(exchange, RESOURCE);
    const body = this.pipeline.readBody<CreatePollingBody>(exchange, this.schema);
    if (parseTimestamp(body.from_time) >= parseTimestamp(body.to_time)) {
      throw new Refusal(400, 'from_time must be before to_time');
    }
    const tillNumber = this.tillOf(body);
    return this.pipeline.create(exchange, { resource: RESOURCE }, () => {
      const { id } = this.pollings.create(body, tillNumber);
      return `${POLLING_PATH}/${id}`;
    });
  }

  private tillOf({ scope, scope_reference: reference }: CreatePollingBody): string | null {
    if (scope === 'company') {
      if (reference) throw new Refusal(400, 'scope_reference must be empty for the scope company');
      return null;
    }
    if (!reference) throw new Refusal(400, 'scope_reference is missing');
    const till = this.tills.find(reference);
    if (!till) throw new Refusal(422, `scope_reference ${reference} is not a known till`);
    return till.reported;
  }

  private async get(exchange: PlatformExchange): Promise<PlatformAnswer> {
    this.pipeline.authorise(exchange, RESOURCE);
    const polling = this.pollings.find(exchange.params.id ?? '');
    if (!polling) throw new Refusal(404, 'The polling request was not found');
    return this.pipeline.read(exchange, { resource: RESOURCE }, () => this.pollings.read(polling));
  }
}
