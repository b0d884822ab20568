import type { ResourceFormat } from '../server/resource-writer.js';
import { transactionResource, transactionType } from '../transactions/transaction.resource.js';
import type { Transaction } from '../transactions/transactions.store.js';
import { timestamp } from '../values/timestamp.js';

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

export const POLLING: ResourceFormat<Polling> = {
  path: '/api/v2/polling',
  type: 'polling',
  faults: ['number-amounts'],
  callbackUrlOf: ({ request }) => request._links.callback_url,
  identityOf: () => ({}),
  attributes: ({ request, createdAt, transactions }, { numberAmounts }) => ({
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
  }),
};
