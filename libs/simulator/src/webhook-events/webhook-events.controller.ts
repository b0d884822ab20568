import { Refusal, type PlatformAnswer } from '../server/platform-answer.dto.js';
import type { PlatformExchange, PlatformRoute } from '../server/platform-exchange.dto.js';
import type { RequestPipeline } from '../server/request-pipeline.service.js';
import { webhookTransactionResource } from '../transactions/transaction.resource.js';
import type { TransactionsStore } from '../transactions/transactions.store.js';
import type { WebhookEvents } from './webhook-events.service.js';

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
      {
        method: 'GET',
        path: '/financial_transactions/:id',
        handle: (exchange) => this.getTransaction(exchange),
      },
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

  private async getTransaction(exchange: PlatformExchange): Promise<PlatformAnswer> {
    this.pipeline.authorise(exchange, 'financial_transactions');
    const transaction = this.transactions.findById(exchange.params.id ?? '');
    if (!transaction) throw new Refusal(404, 'The transaction was not found');
    return this.pipeline.read(exchange, { resource: 'financial_transactions' }, () =>
      JSON.stringify({
        data: {
          id: transaction.id,
          type: 'financial_transaction',
          attributes: webhookTransactionResource(transaction),
        },
      }),
    );
  }
}
