import { maskPhones } from '@tillkit/payments/routes';
import { Injectable } from '@nestjs/common';
import { isPayment, type PaymentRecord } from '@tillkit/payments/store';
import { html } from '@tillkit/pages';
import { readPhone } from '../html/phone.format.js';
import { plainText, text } from '../html/text.fragment.js';
import { page, redirect, type Answer } from '../web/answer.dto.js';
import { isSearchable } from '../web/list.dto.js';
import type { Visit } from '../web/visit.dto.js';
import { PaymentsPage } from './payments.page.js';

/** Digits with the separators that people write between them. */
const PHONE = /^\+?[\d\s().-]{7,25}$/;

/** Finds a payment by an id, an order number, the reference of a transaction or a phone number. */
@Injectable()
export class FindPage {
  constructor(private readonly payments: PaymentsPage) {}

  async find(visit: Visit): Promise<Answer> {
    const search = visit.field('words') ?? '';
    if (search === '') return redirect(visit.link('payments'));
    if (!isSearchable(search)) return nothingFound(visit, search);
    const payment = await byIdOrKey(visit, search);
    if (payment) return redirect(visit.link(`payments/${encodeURIComponent(payment.id)}`));
    const answer = await byReference(visit, search);
    if (answer) return answer;
    const phone = PHONE.test(search) ? readPhone(visit.account, search) : null;
    return phone ? this.payments.byPhone(visit, search) : nothingFound(visit, search);
  }
}

/** The payment with this id, idempotency key or platform id. */
async function byIdOrKey({ account }: Visit, idOrKey: string): Promise<PaymentRecord | null> {
  const { store, name } = account;
  const byId = await store.operations.find(name, idOrKey);
  if (byId && isPayment(byId)) return byId;
  const found =
    (await store.operations.findByIdempotencyKey(name, 'payment', idOrKey)) ??
    (await store.operations.findByPlatformId(name, 'payment', idOrKey));
  return found && isPayment(found) ? found : null;
}

async function byReference(visit: Visit, reference: string): Promise<Answer | null> {
  const { store, name } = visit.account;
  const filter = { kind: 'payment', reference };
  const { items } = await store.operations.list(name, filter, { limit: 2 });
  if (items.length === 1) {
    return redirect(visit.link(`payments/${encodeURIComponent(items[0]!.id)}`));
  }
  if (items.length > 1) return redirect(visit.link('payments', { reference }));
  const transactions = await store.transactions.list(name, { reference }, { limit: 1 });
  return transactions.items.length > 0 ? redirect(visit.link('transactions', { reference })) : null;
}

function nothingFound(visit: Visit, search: string): Answer {
  const { all, notFound } = visit.words.payments;
  const masked = maskPhones(search);
  const body = html`<h1>${notFound.title}</h1>
    <p>${notFound.text(html`<strong>${text(masked, 80)}</strong>`)}</p>
    <p>${notFound.hint}</p>
    <p><a href="${visit.link('payments')}">${all}</a></p>`;
  return page('payments', notFound.titleOf(plainText(masked, 40)), body, { status: 404 });
}
