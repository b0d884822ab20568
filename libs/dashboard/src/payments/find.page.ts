import { Injectable } from '@nestjs/common';
import type { PaymentRecord } from '@tillkit/payments/store';
import { html } from '../html/html.template.js';
import { plainText, text } from '../html/text.fragment.js';
import { maskPhones } from '../html/phone.mask.js';
import { DashboardAccount } from '../start/dashboard.account.js';
import { page, redirect, type Answer } from '../web/answer.js';
import { isAskable } from '../web/list.input.js';
import type { Visit } from '../web/visit.js';
import { PaymentsPage } from './payments.page.js';

/** Digits with what people write between them, and enough of them. */
const PHONE = /^\+?[\d\s().-]{7,25}$/;

/** Finds whatever an operator was told: an id, an order's key, the reference of money, a phone number. */
@Injectable()
export class FindPage {
  constructor(
    private readonly account: DashboardAccount,
    private readonly payments: PaymentsPage,
  ) {}

  async find(visit: Visit): Promise<Answer> {
    const words = visit.field('words') ?? '';
    if (words === '') return redirect(visit.link('payments'));
    if (!isAskable(words)) return nothing(visit, words);
    const payment = await this.named(words);
    if (payment) return redirect(visit.link(`payments/${encodeURIComponent(payment.id)}`));
    const referenced = await this.referenced(visit, words);
    if (referenced) return referenced;
    const phone = PHONE.test(words) ? this.account.readPhone(words) : null;
    return phone ? this.payments.byPhone(visit, words) : nothing(visit, words);
  }

  /** What names one payment only. */
  private async named(words: string): Promise<PaymentRecord | null> {
    const { store, name } = this.account;
    return (
      (await store.findPayment(name, words)) ??
      (await store.findPaymentByIdempotencyKey(name, words)) ??
      (await store.findPaymentByPlatformId(name, words))
    );
  }

  private async referenced(visit: Visit, reference: string): Promise<Answer | null> {
    const { store, name } = this.account;
    const { items } = await store.listPayments(name, { reference }, { limit: 2 });
    if (items.length === 1) {
      return redirect(visit.link(`payments/${encodeURIComponent(items[0]!.id)}`));
    }
    if (items.length > 1) return redirect(visit.link('payments', { reference }));
    const money = await store.listTransactions(name, { reference }, { limit: 1 });
    return money.items.length > 0 ? redirect(visit.link('transactions', { reference })) : null;
  }
}

function nothing(visit: Visit, words: string): Answer {
  const body = html`<h1>Nothing found</h1>
    <p>
      No payment has the id, order key, platform id or reference
      <strong>${text(maskPhones(words), 80)}</strong>, and it is no phone number that can be read.
    </p>
    <p>
      Phone numbers are found in the international form, +254700000000, and as they are written in
      the country of the account. Keys and references must be whole, in their exact case.
    </p>
    <p><a href="${visit.link('payments')}">All payments</a></p>`;
  return page('payments', `Nothing found: ${plainText(maskPhones(words), 40)}`, body, {
    status: 404,
  });
}
