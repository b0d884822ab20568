import { object, optional, required, type BodySchema } from '../server/body.dto.js';
import { Refusal, type PlatformAnswer } from '../server/platform.answer.js';
import type { PlatformExchange, PlatformRoute } from '../server/platform.exchange.js';
import type { PlatformGate } from '../server/platform.gate.js';
import type { SimulatorSettings } from '../simulator.options.js';
import type { Tills } from '../tills/tills.service.js';
import { complaintAboutCallbackUrl } from '../values/callback-url.value.js';
import { parseTimestamp } from '../values/timestamp.value.js';
import { POLLING_PATH, type CreatePollingBody, type PollingRequests } from './polling.service.js';

const RESOURCE = 'polling';

const complaintAboutTime = (value: unknown) =>
  Number.isNaN(parseTimestamp(value)) ? 'must be an ISO 8601 time with an offset' : null;

/** The polling endpoints: create and read. */
export class PollingRoutes {
  private readonly schema: BodySchema;

  constructor(
    settings: SimulatorSettings,
    private readonly gate: PlatformGate,
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
      from_time: required(complaintAboutTime),
      to_time: required(complaintAboutTime),
      _links: object({
        callback_url: required((value) =>
          complaintAboutCallbackUrl(value, settings.allowPlainCallbackHosts),
        ),
      }),
    };
  }

  routes(): PlatformRoute[] {
    return [
      { method: 'POST', path: POLLING_PATH, handle: (exchange) => this.create(exchange) },
      { method: 'GET', path: `${POLLING_PATH}/:id`, handle: (exchange) => this.get(exchange) },
    ];
  }

  private async create(exchange: PlatformExchange): Promise<PlatformAnswer> {
    this.gate.enter(exchange, RESOURCE);
    const body = this.gate.body<CreatePollingBody>(exchange, this.schema);
    if (parseTimestamp(body.from_time) >= parseTimestamp(body.to_time)) {
      throw new Refusal(400, 'from_time must be before to_time');
    }
    const tillNumber = this.tillOf(body);
    return this.gate.create(exchange, { resource: RESOURCE }, () => {
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
    this.gate.enter(exchange, RESOURCE);
    const polling = this.pollings.find(exchange.params.id ?? '');
    if (!polling) throw new Refusal(404, 'The polling request was not found');
    return this.gate.read(exchange, { resource: RESOURCE }, () => this.pollings.read(polling));
  }
}
