import { Refusal } from '../server/platform-answer.dto.js';
import type { PlatformRoute } from '../server/platform-exchange.dto.js';
import type { RequestPipeline } from '../server/request-pipeline.service.js';
import { webhookTransactionResource } from '../transactions/transaction.resource.js';
import type { TransactionsStore } from '../transactions/transactions.store.js';
import { EVENT_TYPES } from './event-types.constants.js';
import type { WebhookEvents } from './webhook-events.service.js';

const COLLECTIONS = new Set(Object.values(EVENT_TYPES).map(({ collection }) => collection));

/** Returns the endpoints at `_links.self` and `_links.resource` of a webhook. The contract does not describe them. */
export function webhookEventRoutes(
  pipeline: RequestPipeline,
  events: WebhookEvents,
  transactions: TransactionsStore,
): PlatformRoute[] {
  const attributesOf = (collection: string, id: string) => {
    const transaction = collection === 'financial_transaction' ? transactions.find(id) : undefined;
    return transaction
      ? webhookTransactionResource(transaction)
      : events.findLinked(collection, id)?.resource;
  };
  const getEvent: PlatformRoute = {
    method: 'GET',
    path: '/webhook_events/:id',
    async handle(exchange) {
      pipeline.authorise(exchange, 'webhook_events');
      const event = events.find(exchange.params.id ?? '');
      if (!event) throw new Refusal(404, 'The webhook event was not found');
      return pipeline.read(exchange, { resource: 'webhook_events', topic: event.topic }, () =>
        JSON.stringify(events.body(event)),
      );
    },
  };
  const getLinked = [...COLLECTIONS].map((collection): PlatformRoute => ({
    method: 'GET',
    path: `/${collection}/:id`,
    async handle(exchange) {
      pipeline.authorise(exchange, collection);
      const { id = '' } = exchange.params;
      const attributes = attributesOf(collection, id);
      if (!attributes) throw new Refusal(404, 'The resource was not found');
      return pipeline.read(exchange, { resource: collection }, () =>
        JSON.stringify({ data: { id, type: collection, attributes } }),
      );
    },
  }));
  return [getEvent, ...getLinked];
}
