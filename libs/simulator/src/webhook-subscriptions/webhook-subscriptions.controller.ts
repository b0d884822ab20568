import { optional, required, type BodySchema } from '../server/body.dto.js';
import { Refusal, type PlatformAnswer } from '../server/platform-answer.dto.js';
import type { PlatformExchange, PlatformRoute } from '../server/platform-exchange.dto.js';
import type { RequestPipeline } from '../server/request-pipeline.service.js';
import type { SimulatorSettings } from '../simulator.options.js';
import type { Tills } from '../tills/tills.service.js';
import { callbackUrlError } from '../values/callback-url.js';
import {
  describeEventType,
  isEventType,
  type EventType,
} from '../webhook-events/event-types.constants.js';
import type { WebhookSubscriptions } from './webhook-subscriptions.service.js';

const PATH = '/api/v1/webhook_subscriptions';
const RESOURCE = 'webhook_subscriptions';

interface CreateWebhookSubscriptionBody {
  event_type: EventType;
  url: string;
  scope: 'till' | 'company';
  scope_reference?: string | null;
  enable_daraja_payload?: boolean | null;
}

/** The endpoints of webhook subscriptions: create and read. The contract does not show the response of a read. */
export class WebhookSubscriptionRoutes {
  private readonly schema: BodySchema;

  constructor(
    private readonly settings: SimulatorSettings,
    private readonly pipeline: RequestPipeline,
    private readonly tills: Tills,
    private readonly subscriptions: WebhookSubscriptions,
  ) {
    this.schema = {
      event_type: required((value) => (isEventType(value) ? null : 'is not a known event type')),
      url: required((value) => callbackUrlError(value, settings.allowPlainCallbackHosts)),
      scope: required((value) =>
        value === 'till' || value === 'company' ? null : 'must be till or company',
      ),
      scope_reference: optional((value) =>
        typeof value === 'string' || value === null ? null : 'must be a string or null',
      ),
      enable_daraja_payload: optional((value) =>
        typeof value === 'boolean' ? null : 'must be true or false',
      ),
    };
  }

  routes(): PlatformRoute[] {
    return [
      { method: 'POST', path: PATH, handle: (exchange) => this.create(exchange) },
      { method: 'GET', path: `${PATH}/:id`, handle: (exchange) => this.get(exchange) },
    ];
  }

  private async create(exchange: PlatformExchange): Promise<PlatformAnswer> {
    this.pipeline.authorise(exchange, RESOURCE);
    const body = this.pipeline.readBody<CreateWebhookSubscriptionBody>(exchange, this.schema);
    this.checkEventType(body);
    return this.pipeline.create(exchange, { resource: RESOURCE, topic: body.event_type }, () => {
      const { id } = this.subscriptions.add({
        eventType: body.event_type,
        url: body.url,
        scope: body.scope,
        scopeReference: body.scope === 'till' ? body.scope_reference! : null,
        darajaPayload: body.enable_daraja_payload ?? false,
      });
      return `${PATH}/${id}`;
    });
  }

  /** Checks the rules that depend on the event type. @throws Refusal */
  private checkEventType(body: CreateWebhookSubscriptionBody): void {
    const { scopes, daraja } = describeEventType(body.event_type);
    if (this.settings.strict && !scopes.includes(body.scope)) {
      throw new Refusal(400, `scope of ${body.event_type} must be ${scopes.join(' or ')}`);
    }
    if (body.enable_daraja_payload && !daraja) {
      throw new Refusal(400, `enable_daraja_payload is not allowed for ${body.event_type}`);
    }
    const reference = body.scope_reference ?? '';
    if (body.scope === 'company') {
      if (reference !== '')
        throw new Refusal(400, 'scope_reference must be empty for the scope company');
      return;
    }
    if (reference === '') throw new Refusal(400, 'scope_reference is missing');
    if (!this.tills.find(reference))
      throw new Refusal(422, `scope_reference ${reference} is not a known till`);
  }

  private async get(exchange: PlatformExchange): Promise<PlatformAnswer> {
    this.pipeline.authorise(exchange, RESOURCE);
    const subscription = this.subscriptions.find(exchange.params.id ?? '');
    if (!subscription) throw new Refusal(404, 'The webhook subscription was not found');
    return this.pipeline.read(exchange, { resource: RESOURCE, topic: subscription.eventType }, () =>
      JSON.stringify({
        data: {
          id: subscription.id,
          type: 'webhook_subscription',
          attributes: {
            event_type: subscription.eventType,
            webhook_uri: subscription.url,
            status: 'Active',
            scope: subscription.scope === 'till' ? 'Till' : 'Company',
            scope_reference: subscription.scopeReference,
          },
        },
      }),
    );
  }
}
