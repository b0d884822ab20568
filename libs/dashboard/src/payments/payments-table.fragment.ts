import type { PaymentRecord } from '@tillkit/payments/internal/store';
import { html, type Html } from '@tillkit/pages';
import { rowLink, table } from '../html/list.fragment.js';
import { money } from '../html/money.fragment.js';
import { fullName, maskedName } from '../html/name.format.js';
import { maskedPhone } from '../html/phone.format.js';
import { state } from '../html/state.fragment.js';
import { text } from '../html/text.fragment.js';
import { operationOutcome } from '../operations/operation-outcome.fragment.js';
import { orderNumberOf } from '../operations/order-number.format.js';
import { WORDS } from '../words/english.words.js';
import type { Visit } from '../web/visit.dto.js';

export function paymentsTable(visit: Visit, payments: readonly PaymentRecord[]): Html {
  const { common, payments: text } = WORDS;
  const { columns } = text;
  return table(
    'Payments, newest first',
    [
      { name: common.state, card: 'state' },
      { name: 'Customer', card: 'lead' },
      { name: common.amount, isNumber: true, card: 'amount' },
      { name: columns.recorded, card: 'time' },
      { name: columns.orderNumber, card: 'id' },
      { name: columns.outcome, card: 'note' },
    ],
    payments.map((payment) => row(visit, payment)),
  );
}

function row(visit: Visit, payment: PaymentRecord): Html[] {
  const { id, subscriber, amount, createdAt } = payment;
  return [
    state(payment.state),
    html`${text(nameOf(payment), 60)}<br />${maskedPhone(subscriber.phoneNumber)}`,
    money(amount),
    visit.times.show(createdAt),
    rowLink(
      visit.link(`payments/${encodeURIComponent(id)}`),
      html`<span class="mono">${text(orderNumberOf(payment), 60)}</span>`,
    ),
    operationOutcome(payment),
  ];
}

export function nameOf(
  { subscriber: { firstName, lastName } }: PaymentRecord,
  isRevealed = false,
): string {
  const name = isRevealed ? fullName : maskedName;
  return name([firstName, lastName]) || '(name redacted)';
}
