import { isPayment, isPaymentLink, type OperationRecord } from '@tillkit/payments/internal/store';
import { html, type Html } from '@tillkit/pages';
import { masked } from '../html/text.fragment.js';
import type { Visit } from '../web/visit.dto.js';
import { WORDS } from '../words/english.words.js';
import { pathOf } from './operation-kinds.js';

/** Shows the order that an operation pays, and the operations that its request passed. People see a second charge here first. */
export function orderFacts(
  visit: Visit,
  operation: OperationRecord,
): (readonly [string, Html] | null)[] {
  const { payment: names } = WORDS;
  const order = isPayment(operation) || isPaymentLink(operation) ? operation.order : null;
  const { besides, kind } = operation;
  const links = besides.map(
    (id) => html`<a class="mono" href="${visit.link(pathOf({ kind, id }))}">${id}</a> `,
  );
  return [
    order === null ? null : [names.order, html`<span class="mono">${masked(order, 255)}</span>`],
    besides.length === 0 ? null : [names.passes, html`${links}`],
  ];
}
