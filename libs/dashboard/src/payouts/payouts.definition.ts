import type { PayoutState } from '@tillkit/payments/types';
import { maskPhones } from '@tillkit/payments/internal/routes';
import {
  isPayout,
  type OperationFilter,
  type PayoutRecord,
} from '@tillkit/payments/internal/store';
import { html, type Html } from '@tillkit/pages';
import type { CsvColumn } from '../csv/csv.format.js';
import type { ListDefinition } from '../lists/list.definition.js';
import { ORDER_NUMBER, REQUESTED_BY } from '../operations/operation-columns.js';
import { makeLink, operationsList } from '../operations/operations.definition.js';
import { operationsTable } from '../operations/operations-table.fragment.js';
import { WORDS } from '../words/english.words.js';
import type { Visit } from '../web/visit.dto.js';
import { destination } from './destination.fragment.js';
import { destinationLine } from './destination.format.js';
import { waits } from './payout-approval.page.js';

const STATES: readonly PayoutState[] = [
  'created',
  'requested',
  'pending',
  'unknown',
  'succeeded',
  'partially_succeeded',
  'failed',
  'needs_review',
];

/** Returns the list of payouts. The store finds no payout by its receivers, so no field names a person. */
export function payoutsList(visit: Visit): ListDefinition<OperationFilter, PayoutRecord> {
  const { payouts: words, payout } = WORDS;
  return operationsList(visit, {
    kind: 'payout',
    words,
    states: STATES,
    is: isPayout,
    action: () => makeLink(visit, 'payouts/new', 'New payout'),
    table: (payouts) =>
      operationsTable(
        visit,
        'Payouts, newest first',
        payout.to,
        payouts.map((operation) => ({
          operation,
          person: receivers(operation),
          waitsFor: waits(operation) ? 'waits for approval' : null,
        })),
      ),
    columns: COLUMNS,
  });
}

/** Returns the first destination, and the number of the others. */
function receivers({ transfers, recipients }: PayoutRecord): Html {
  const others = transfers.length - 1;
  return html`${destination(recipients[0] ?? null, false)}
  ${others > 0 && html`<br /><span class="soft">and ${others} more</span>`}`;
}

const COLUMNS: readonly CsvColumn<PayoutRecord>[] = [
  { name: 'destinations', isNumber: true, cell: ({ transfers }) => transfers.length },
  {
    name: 'to',
    cell: ({ transfers, recipients }) =>
      transfers.map((_, at) => destinationLine(recipients[at] ?? null)).join('; '),
  },
  { name: 'paidFrom', cell: ({ sourceIdentifier }) => sourceIdentifier },
  ORDER_NUMBER,
  REQUESTED_BY,
  { name: 'approvedBy', cell: ({ approvedBy }) => maskPhones(approvedBy ?? '') },
  { name: 'waitsForApproval', cell: (payout) => (waits(payout) ? 'yes' : 'no') },
];
