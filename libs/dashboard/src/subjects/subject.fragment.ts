import { isPayment, type OperationRecord } from '@tillkit/payments/internal/store';
import { html, type Html } from '@tillkit/pages';
import { money, moneyOf } from '../html/money.fragment.js';
import { maskedPhone } from '../html/phone.format.js';
import { text } from '../html/text.fragment.js';
import { pathOf } from '../operations/operation-kinds.js';
import { orderNumberOf } from '../operations/order-number.format.js';
import { nameOf } from '../payments/payments-table.fragment.js';
import type { TillTransaction } from '../transactions/till-transaction.dto.js';
import { payerOf } from '../transactions/transactions.definition.js';
import type { Visit } from '../web/visit.dto.js';

/** Returns an operation in a list of something else: order number with a link, amount and customer. */
export function operationSubject(visit: Visit, operation: OperationRecord): Html {
  const customer = isPayment(operation)
    ? html`${text(nameOf(operation), 60)} ${maskedPhone(operation.subscriber.phoneNumber)}`
    : null;
  return subject(operationLink(visit, operation), money(operation.amount), customer);
}

/** Returns the order number of an operation, with a link to its page. */
function operationLink(visit: Visit, operation: OperationRecord): Html {
  return html`<a class="mono" href="${visit.link(pathOf(operation))}"
    >${text(orderNumberOf(operation), 60)}</a
  >`;
}

/** Returns a transaction in a list of something else: reference with a link, amount and payer. */
export function transactionSubject(visit: Visit, transaction: TillTransaction): Html {
  const shown = transaction.received ?? transaction.reversal;
  return subject(
    transactionLink(visit, transaction),
    moneyOf(shown?.amount ?? null, shown?.currency ?? null),
    html`${text(payerOf(transaction), 60)} ${maskedPhone(shown?.senderPhoneNumber ?? null)}`,
  );
}

function transactionLink(visit: Visit, { till, reference }: TillTransaction): Html {
  return html`<a class="mono" href="${visit.link('transaction', { till, reference })}"
    >${text(reference, 40)}</a
  >`;
}

function subject(link: Html, amount: Html, customer: Html | null): Html {
  return html`<span class="subject"
    ><span>${amount}</span> ${link} ${customer && html`<span class="soft">${customer}</span>`}</span
  >`;
}
