import { maskThisPhone } from '@tillkit/payments/routes';
import type { PaymentRecord } from '@tillkit/payments/store';
import { html, type Html } from '@tillkit/pages';
import { rowLink, table } from '../html/list.fragment.js';
import { money } from '../html/money.fragment.js';
import { fullName } from '../html/name.format.js';
import { maskedPhone } from '../html/phone.format.js';
import { state } from '../html/state.fragment.js';
import { text } from '../html/text.fragment.js';
import type { Words } from '../words/english.words.js';
import { wordFor } from '../words/words.dto.js';
import type { Visit } from '../web/visit.dto.js';

export function paymentsTable(visit: Visit, payments: readonly PaymentRecord[]): Html {
  const { common, payments: text } = visit.words;
  const { columns } = text;
  return table(
    text.table,
    [
      { name: common.state, card: 'state' },
      { name: columns.customer, card: 'lead' },
      { name: common.amount, isNumber: true, card: 'amount' },
      { name: columns.recorded, card: 'time' },
      { name: columns.orderNumber, card: 'id' },
      { name: columns.outcome, card: 'note' },
    ],
    payments.map((payment) => row(visit, payment)),
  );
}

function row(visit: Visit, payment: PaymentRecord): Html[] {
  const { words } = visit;
  const { id, subscriber, amount, createdAt, idempotencyKey } = payment;
  const key = maskThisPhone(idempotencyKey, subscriber.phoneNumber);
  return [
    state(words, payment.state),
    html`${text(nameOf(words, payment), 60)}<br />${maskedPhone(words, subscriber.phoneNumber)}`,
    money(amount),
    visit.times.show(createdAt),
    rowLink(
      visit.link(`payments/${encodeURIComponent(id)}`),
      html`<span class="mono">${text(key, 60)}</span>`,
    ),
    outcome(words, payment),
  ];
}

export function nameOf(
  { payments }: Words,
  { subscriber: { firstName, lastName } }: PaymentRecord,
): string {
  return fullName([firstName, lastName]) || payments.nameRedacted;
}

/** The transaction's reference, the reason of a failure, or the cause of a review. */
function outcome(words: Words, { transaction, reason, cause }: PaymentRecord): Html {
  const lines = [
    transaction?.reference && html`<span class="mono">${text(transaction.reference, 40)}</span>`,
    reason && html`<span>${wordFor(words.reasons, reason)}</span>`,
    cause && html`<span>${wordFor(words.causes, cause)}</span>`,
  ].filter(Boolean);
  return html`${lines.map((line, index) => html`${index > 0 && html`<br />`}${line}`)}`;
}
