import type { PaymentRecord } from '@tillkit/payments/internal/store';
import { html, type Html } from '@tillkit/pages';
import { fullName, maskedName } from '../html/name.format.js';
import { maskedPhone } from '../html/phone.format.js';
import { text } from '../html/text.fragment.js';
import { operationsTable } from '../operations/operations-table.fragment.js';
import type { Visit } from '../web/visit.dto.js';

export function paymentsTable(visit: Visit, payments: readonly PaymentRecord[]): Html {
  const rows = payments.map((operation) => ({ operation, person: customer(operation) }));
  return operationsTable(visit, 'Payments, newest first', 'Customer', rows);
}

/** Returns the name and phone number, both masked. */
export function customer(payment: PaymentRecord): Html {
  const { phoneNumber } = payment.subscriber;
  return html`${text(nameOf(payment), 60)}<br />${maskedPhone(phoneNumber)}`;
}

export function nameOf(
  { subscriber: { firstName, lastName } }: PaymentRecord,
  isRevealed = false,
): string {
  const name = isRevealed ? fullName : maskedName;
  return name([firstName, lastName]) || '(name redacted)';
}
