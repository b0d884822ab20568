import type { OperationRecord } from '@tillkit/payments/internal/store';
import { html, type Html } from '@tillkit/pages';
import { rowLink, table } from '../html/list.fragment.js';
import { money } from '../html/money.fragment.js';
import { state } from '../html/state.fragment.js';
import { text } from '../html/text.fragment.js';
import type { Visit } from '../web/visit.dto.js';
import { pathOf } from './operation-kinds.js';
import { operationOutcome } from './operation-outcome.fragment.js';
import { orderNumberOf } from './order-number.format.js';
import { WORDS } from '../words/english.words.js';

export interface OperationRow {
  operation: OperationRecord;
  /** The person who pays or is paid. */
  person: Html;
  /** The column of the outcome shows what the operation waits for. */
  waitsFor?: string | null;
}

/**
 * Returns a table of operations of one kind.
 * @param person the name of the column with the person who pays or is paid
 */
export function operationsTable(
  visit: Visit,
  caption: string,
  person: string,
  rows: readonly OperationRow[],
): Html {
  const { common, payments } = WORDS;
  return table(
    caption,
    [
      { name: common.state, card: 'state' },
      { name: person, card: 'lead' },
      { name: common.amount, isNumber: true, card: 'amount' },
      { name: payments.columns.recorded, card: 'time' },
      { name: payments.columns.orderNumber, card: 'id' },
      { name: payments.columns.outcome, card: 'note' },
    ],
    rows.map(({ operation, person: who, waitsFor }) => [
      state(operation.state),
      who,
      money(operation.amount),
      visit.times.show(operation.createdAt),
      rowLink(
        visit.link(pathOf(operation)),
        html`<span class="mono">${text(orderNumberOf(operation), 60)}</span>`,
      ),
      operationOutcome(operation, waitsFor),
    ]),
  );
}
