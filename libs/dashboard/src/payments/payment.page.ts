import { Injectable } from '@nestjs/common';
import type { PaymentRecord, StoredEvent } from '@tillkit/payments/store';
import { html, type Html, type HtmlContent } from '../html/html.template.js';
import { facts } from '../html/list.fragment.js';
import { money, moneyOf } from '../html/money.fragment.js';
import { formatPhone, maskedPhone, maskPhones, maskThisPhone } from '../html/phone.mask.js';
import { CAUSES, REASONS, state } from '../html/state.fragment.js';
import { listing, LONG, plainText, text } from '../html/text.fragment.js';
import { TimeFormat } from '../html/time.format.js';
import { DashboardAccount } from '../start/dashboard.account.js';
import { page, type Answer } from '../web/answer.js';
import { notFound } from '../web/dashboard.problem.js';
import { isId } from '../web/list.input.js';
import { LookupsLog } from '../web/lookups.log.js';
import type { Visit } from '../web/visit.js';
import { timelineOf } from './payment.timeline.js';
import { nameOf } from './payments.table.js';
import { reviewForm } from './review.form.js';
import { timeline } from './timeline.fragment.js';

/** One payment: who, how much, how it ended, and everything that happened on the way. */
@Injectable()
export class PaymentPage {
  constructor(
    private readonly account: DashboardAccount,
    private readonly times: TimeFormat,
    private readonly lookups: LookupsLog,
  ) {}

  async show(visit: Visit, id: string): Promise<Answer> {
    return this.pageOf(visit, await this.payment(id), false);
  }

  /** Shows the number, once: the next page has it masked again. */
  async reveal(visit: Visit, id: string): Promise<Answer> {
    const payment = await this.payment(id);
    this.lookups.revealed(visit, `payment ${payment.id}`);
    return this.pageOf(visit, payment, true);
  }

  private async payment(id: string): Promise<PaymentRecord> {
    const payment = isId(id) ? await this.account.store.findPayment(this.account.name, id) : null;
    if (!payment) throw notFound('payment');
    return payment;
  }

  private async pageOf(visit: Visit, payment: PaymentRecord, isRevealed: boolean): Promise<Answer> {
    const { store, name } = this.account;
    const history = await store.paymentHistory(name, payment.id);
    const events = await store.listEvents(name, payment.id);
    const body = html`<p class="crumb"><a href="${visit.link('payments')}">Payments</a></p>
      <div class="title">
        <h1>${money(payment.amount)}</h1>
        ${state(payment.state)}
      </div>
      ${ending(payment)} ${payment.state === 'needs_review' && reviewForm(visit, payment)}
      <div class="columns">
        <section aria-labelledby="timeline">
          <h2 id="timeline">Timeline</h2>
          ${timeline(this.times, payment.createdAt, timelineOf(payment, history, events))}
          ${this.deadLettersHint(visit, events)}
        </section>
        <section aria-labelledby="details">
          <h2 id="details">Details</h2>
          ${this.details(visit, payment, isRevealed)} ${this.moneyPart(visit, payment, isRevealed)}
          ${metadataPart(payment, isRevealed)}
        </section>
      </div>`;
    return page('payments', `Payment ${keyOf(payment, false)}`, body);
  }

  private details(visit: Visit, payment: PaymentRecord, isRevealed: boolean): Html {
    const { subscriber, createdAt, updatedAt, platformId } = payment;
    return facts([
      ['Customer', text(nameOf(payment), LONG)],
      ['Phone', phone(visit, payment, isRevealed)],
      subscriber.email ? ['Email', text(subscriber.email)] : null,
      ['Order key', html`<span class="mono">${text(keyOf(payment, isRevealed), 400)}</span>`],
      ['Id', html`<span class="mono">${payment.id}</span>`],
      [
        'Id at the platform',
        html`<span class="mono">${text(platformId ?? 'not known yet')}</span>`,
      ],
      ['Till', html`<span class="mono">${text(payment.tillNumber)}</span>`],
      ['Recorded', this.times.show(createdAt)],
      ['Last change', this.times.show(updatedAt)],
    ]);
  }

  private moneyPart(visit: Visit, payment: PaymentRecord, isRevealed: boolean): Html | null {
    const { transaction } = payment;
    if (!transaction) return null;
    const { reference, tillNumber, amount, currency, status, system, originationTime, raw } =
      transaction;
    const link =
      reference && tillNumber && visit.link('transaction', { till: tillNumber.trim(), reference });
    return html`<h3>The money</h3>
      ${facts([
        [
          'Reference',
          link
            ? html`<a class="mono" href="${link}">${text(reference)}</a>`
            : html`<span class="soft">none</span>`,
        ],
        ['Amount', moneyOf(amount, currency)],
        ['Status', text(status ?? 'none')],
        ['System', text(system ?? 'none')],
        ['Originated', this.times.showText(originationTime)],
      ])}
      ${rawPart(raw, isRevealed)}`;
  }

  private deadLettersHint(visit: Visit, events: readonly StoredEvent[]): Html | null {
    const isDead = events.some(({ calls }) => calls.some((call) => call.state === 'dead'));
    return isDead
      ? html`<p>
          <a href="${visit.link('dead-letters')}">To the dead letters, to call it again</a>
        </p>`
      : null;
  }
}

function keyOf({ idempotencyKey, subscriber }: PaymentRecord, isRevealed: boolean): string {
  return isRevealed ? idempotencyKey : maskThisPhone(idempotencyKey, subscriber.phoneNumber);
}

function phone(visit: Visit, payment: PaymentRecord, isRevealed: boolean): HtmlContent {
  const { phoneNumber } = payment.subscriber;
  if (isRevealed) {
    return html`<strong class="phone" data-revealed>${formatPhone(phoneNumber)}</strong>`;
  }
  const action = visit.link(`payments/${encodeURIComponent(payment.id)}/phone`);
  return html`${maskedPhone(phoneNumber)}
  ${
    phoneNumber &&
    html`<form class="inline" method="post" action="${action}">
      <button class="small">Show the number</button>
    </form>`
  }`;
}

/** In one sentence, how it ended or what it waits for. */
function ending({ state: is, reason, cause, causeDetail, errors }: PaymentRecord): Html | null {
  const said = errors.map((error) => html`<li>${text(maskPhones(error), 600)}</li>`);
  const why = [
    reason && `Why: ${REASONS[reason] ?? reason}.`,
    cause && `To look at: ${CAUSES[cause] ?? cause}.`,
  ].filter(Boolean);
  if (why.length === 0 && said.length === 0 && !causeDetail) return null;
  return html`<div class="ending ending--${is}">
    ${why.length > 0 && html`<p>${why.join(' ')}</p>`}
    ${causeDetail && html`<p>${text(maskPhones(causeDetail), 600)}</p>`}
    ${
      said.length > 0 &&
      html`<ul>
        ${said}
      </ul>`
    }
  </div>`;
}

function metadataPart({ metadata }: PaymentRecord, isRevealed: boolean): Html | null {
  const entries = Object.entries(metadata ?? {});
  if (entries.length === 0) return null;
  const shown = (value: unknown): string => {
    const words = typeof value === 'string' ? value : JSON.stringify(value);
    return isRevealed ? words : maskPhones(words);
  };
  return html`<h3>Metadata</h3>
    ${facts(entries.map(([name, value]) => [plainName(name), text(shown(value), LONG)] as const))}`;
}

function plainName(name: string): string {
  return plainText(maskPhones(name), 60);
}

function rawPart(raw: Record<string, unknown>, isRevealed: boolean): Html | null {
  if (Object.keys(raw).length === 0) return null;
  const json = JSON.stringify(raw, null, 2);
  return html`<details>
    <summary>As the platform wrote it</summary>
    ${listing(isRevealed ? json : maskPhones(json), 20_000)}
  </details>`;
}
