import { Refusal, type PlatformAnswer } from '../server/platform-answer.dto.js';
import type { PlatformExchange, PlatformRoute } from '../server/platform-exchange.dto.js';
import type { RequestPipeline } from '../server/request-pipeline.service.js';
import {
  webhookTransactionResource,
  type WireObject,
} from '../transactions/transaction.resource.js';
import type { TransactionsStore } from '../transactions/transactions.store.js';
import { EVENT_TYPES } from './event-types.constants.js';
import type { WebhookEvents } from './webhook-events.service.js';

const COLLECTIONS = new Set(Object.values(EVENT_TYPES).map(({ collection }) => collection));

/** The endpoints at `_links.self` and `_links.resource` of a webhook. The contract does not describe them. */
export class WebhookEventRoutes {
  constructor(
    private readonly pipeline: RequestPipeline,
    private readonly events: WebhookEvents,
    private readonly transactions: TransactionsStore,
  ) {}

  routes(): PlatformRoute[] {
    return [
      { method: 'GET', path: '/webhook_events/:id', handle: (exchange) => this.getEvent(exchange) },
      ...[...COLLECTIONS].map((collection): PlatformRoute => ({
        method: 'GET',
        path: `/${collection}/:id`,
        handle: (exchange) => this.getLinked(exchange, collection),
      })),
    ];
  }

  private async getEvent(exchange: PlatformExchange): Promise<PlatformAnswer> {
    this.pipeline.authorise(exchange, 'webhook_events');
    const event = this.events.find(exchange.params.id ?? '');
    if (!event) throw new Refusal(404, 'The webhook event was not found');
    return this.pipeline.read(exchange, { resource: 'webhook_events', topic: event.topic }, () =>
      JSON.stringify(this.events.body(event)),
    );
  }

  private async getLinked(exchange: PlatformExchange, collection: string): Promise<PlatformAnswer> {
    this.pipeline.authorise(exchange, collection);
    const id = exchange.params.id ?? '';
    const attributes = this.attributesOf(collection, id);
    if (!attributes) throw new Refusal(404, 'The resource was not found');
    return this.pipeline.read(exchange, { resource: collection }, () =>
      JSON.stringify({ data: { id, type: collection, attributes } }),
    );
  }

  private attributesOf(collection: string, id: string): WireObject | undefined {
    const transaction =
      collection === 'financial_transaction' ? this.transactions.findById(id) : undefined;
    if (transaction) return webhookTransactionResource(transaction);
    return this.events.findLinked(collection, id)?.resource;
  }
}
