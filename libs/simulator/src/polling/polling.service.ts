import { randomUUID } from 'node:crypto';
import type { SimulatedClock } from '../clock/clock.service.js';
import type { MerchantDeliveries } from '../deliveries/deliveries.service.js';
import type { FaultInjector } from '../faults/faults.service.js';
import type { FaultSubject } from '../faults/fault.subject.js';
import { transactionResource, transactionType } from '../transactions/transaction.resource.js';
import type { Transaction, TransactionsStore } from '../transactions/transactions.store.js';
import { parseTimestamp, timestamp } from '../values/timestamp.js';

export const POLLING_PATH = '/api/v2/polling';

/** The body of a create. */
export interface CreatePollingBody {
  scope: 'company' | 'till';
  scope_reference?: string | null;
  from_time: string;
  to_time: string;
  _links: { callback_url: string };
}

/** A request for the transactions in a time window. */
export interface Polling {
  readonly id: string;
  readonly request: CreatePollingBody;
  /** The till number after aliases; null for the whole company. */
  readonly tillNumber: string | null;
  readonly createdAt: number;
  /** Null until the result is ready. */
  transactions: readonly Transaction[] | null;
}

/** Lists the transactions in a time window and delivers the list. */
export class PollingRequests {
  private readonly byId = new Map<string, Polling>();
  /** Cache of the last result only: a large result is often read twice, but caching all would need too much memory. */
  private latest: { polling: Polling; body: Buffer } | undefined;

  constructor(
    private readonly clock: SimulatedClock,
    private readonly durationMs: number,
    private readonly transactions: TransactionsStore,
    private readonly deliveries: MerchantDeliveries,
    private readonly faults: FaultInjector,
    private readonly baseUrl: () => string,
  ) {}

  create(request: CreatePollingBody, tillNumber: string | null): Polling {
    const polling: Polling = {
      id: randomUUID(),
      request,
      tillNumber,
      createdAt: this.clock.now(),
      transactions: null,
    };
    this.byId.set(polling.id, polling);
    this.clock.schedule(this.durationMs, () => this.finish(polling));
    return polling;
  }

  find(id: string): Polling | undefined {
    return this.byId.get(id);
  }

  /** The resource as JSON bytes, with faults. */
  read(polling: Polling, subject: FaultSubject = { resource: 'polling' }): Buffer {
    const numberAmounts = this.faults.inject('number-amounts', subject) !== null;
    const unknownField = this.faults.inject('unknown-field', subject) !== null;
    const isFaulty = numberAmounts || unknownField;
    if (!isFaulty && this.latest?.polling === polling) return this.latest.body;
    const body = Buffer.from(JSON.stringify(this.resource(polling, numberAmounts, unknownField)));
    if (!isFaulty && polling.transactions) this.latest = { polling, body };
    return body;
  }

  private finish(polling: Polling): void {
    const { from_time: from, to_time: to, _links: links } = polling.request;
    polling.transactions = this.transactions.between(
      parseTimestamp(from),
      parseTimestamp(to),
      polling.tillNumber,
    );
    void this.deliveries.send({
      kind: 'callback',
      topic: 'polling',
      url: links.callback_url,
      body: this.read(polling, { delivery: 'callback', topic: 'polling' }),
    });
  }

  private resource(
    { id, request, createdAt, transactions }: Polling,
    numberAmounts: boolean,
    unknownField: boolean,
  ) {
    return {
      data: {
        id,
        type: 'polling',
        attributes: {
          status: transactions ? 'Success' : 'Pending',
          created_at: timestamp(createdAt),
          from_time: request.from_time,
          to_time: request.to_time,
          transactions: (transactions ?? []).map((transaction) => ({
            type: transactionType(transaction),
            resource: transactionResource(transaction, numberAmounts),
          })),
          scope: request.scope === 'till' ? 'Till' : 'Company',
          scope_reference: request.scope_reference ?? null,
          ...(unknownField ? { next_page: null } : {}),
          _links: {
            callback_url: request._links.callback_url,
            self: `${this.baseUrl()}${POLLING_PATH}/${id}`,
          },
        },
      },
    };
  }
}
