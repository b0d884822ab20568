import { maskThisPhone } from '@tillkit/payments/routes';
import type { PaymentRecord } from '@tillkit/payments/store';
import { html, type Html } from '@tillkit/pages';
import { table } from '../html/list.fragment.js';
import { money } from '../html/money.fragment.js';
import { fullName } from '../html/name.format.js';
import { maskedPhone } from '../html/phone.format.js';
import { CAUSES, REASONS, state } from '../html/state.fragment.js';
import { text } from '../html/text.fragment.js';
import type { TimeFormat } from '../html/time.format.js';
import type { Visit } from '../web/visit.dto.js';

const COLUMNS = [
  { name: 'State' },
  { name: 'Customer' },
  { name: 'Amount', isNumber: true },
  { name: 'Recorded' },
  { name: 'Order key' },
  { name: 'Outcome' },
] as const;

export function paymentsTable(
  visit: Visit,
  times: TimeFormat,
  payments: readonly PaymentRecord[],
): Html {
  return table(
    'Payments, newest first',
    COLUMNS,
    payments.map((payment) => row(visit, times, payment)),
  );
}

function row(visit: Visit, times: TimeFormat, payment: PaymentRecord): Html[] {
  const { id, subscriber, amount, createdAt, idempotencyKey } = payment;
  const key = maskThisPhone(idempotencyKey, subscriber.phoneNumber);
  return [
    state(payment.state),
    html`${text(nameOf(payment), 60)}<br />${maskedPhone(subscriber.phoneNumber)}`,
    money(amount),
    times.show(createdAt),
    html`<a class="mono" href="${visit.link(`payments/${encodeURIComponent(id)}`)}"
      >${text(key, 60)}</a
    >`,
    outcome(payment),
  ];
}

export function nameOf({ subscriber: { firstName, lastName } }: PaymentRecord): string {
  return fullName([firstName, lastName]) || '(name redacted)';
}

/** The transaction's reference, the reason of a failure, or the cause of a review. */
function outcome({ transaction, reason, cause }: PaymentRecord): Html {
  const lines = [
    transaction?.reference && html`<span class="mono">${text(transaction.reference, 40)}</span>`,
    reason && html`<span>${REASONS[reason] ?? reason}</span>`,
    cause && html`<span>${CAUSES[cause] ?? cause}</span>`,
  ].filter(Boolean);
  return html`${lines.map((line, index) => html`${index > 0 && html`<br />`}${line}`)}`;
}
