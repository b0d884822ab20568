import { describe, expect, it } from '@jest/globals';
import { listDeliveries } from './deliveries/deliveries.query.js';
import { listDeadLetters } from './events/events.query.js';
import { listOperations } from './operations/operations.query.js';
import type { Query } from './page.query.js';
import { listTransactions } from './transactions/transactions.query.js';

const MARK = `') or true or ('7f3a`;
const dates = { from: new Date(), to: new Date() };
const after = { microseconds: MARK, name: MARK };

/** A caller without types may give such a filter, or one with a value of a request. */
const marked = <Filter>(...fields: (keyof Filter)[]): Filter =>
  Object.fromEntries(fields.map((field) => [field, MARK])) as Filter;

const QUERIES: [string, Query][] = [
  ...(['reference', 'receipt', 'reported', 'matched', 'reversed'] as const).map(
    (field): [string, Query] => [
      `transactions by ${field}`,
      listTransactions(
        MARK,
        {
          ...dates,
          ...marked(field, 'tillNumber', 'phoneNumber', 'amountFrom', 'amountTo', 'name'),
        },
        10,
        after,
      ),
    ],
  ),
  ...(
    ['platformId', 'idempotencyKey', 'keyBeginsWith', 'name', 'reference', 'refundOf'] as const
  ).map((field): [string, Query] => [
    `operations by ${field}`,
    listOperations(
      MARK,
      { ...dates, ...marked(field, 'kind', 'amountFrom', 'tillNumber') },
      10,
      after,
    ),
  ]),
  [
    'deliveries',
    listDeliveries(MARK, { ...dates, ...marked('resourceId'), ids: [MARK] }, 10, after),
  ],
  ['dead letters', listDeadLetters(MARK, { ...dates, ...marked('listener') }, 10, after)],
];

describe('The list of', () => {
  it.each(QUERIES)('%s has no value of its filter in the text of its statement', (_, { text }) => {
    expect(text).not.toContain('7f3a');
  });
});
