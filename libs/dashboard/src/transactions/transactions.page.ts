import { Injectable } from '@nestjs/common';
import type { TransactionFilter, TransactionRecord, TransactionSum } from '@tillkit/payments/store';
import { PAGE_SIZE } from '../dashboard.constants.js';
import { html, type Html } from '@tillkit/pages';
import { inAccount } from '../html/account.fragment.js';
import { empty, pager, table } from '../html/list.fragment.js';
import { moneyOf } from '../html/money.fragment.js';
import { fullName } from '../html/name.format.js';
import { maskedPhone } from '../html/phone.format.js';
import { state } from '../html/state.fragment.js';
import { text } from '../html/text.fragment.js';
import { page, type Answer } from '../web/answer.dto.js';
import { isSearchable, readCursor } from '../web/list.dto.js';
import type { Visit } from '../web/visit.dto.js';
import type { Words } from '../words/english.words.js';
import { transactionsIn, type TillTransaction } from './till-transaction.dto.js';

interface Query {
  reference: string;
  from: string;
  to: string;
}

/** The list of transactions at the tills, with or without a payment request of ours. */
@Injectable()
export class TransactionsPage {
  async list(visit: Visit): Promise<Answer> {
    const query: Query = {
      reference: visit.parameter('reference') ?? '',
      from: visit.parameter('from') ?? '',
      to: visit.parameter('to') ?? '',
    };
    const { filter, problem } = this.filterOf(visit, query);
    const cursor = readCursor(visit.parameter('after'));
    const { items, next } = problem
      ? { items: [], next: null }
      : await visit.account.store.transactions.list(visit.account.name, filter, {
          limit: PAGE_SIZE,
          ...cursor,
        });
    const link = (more: object): string => visit.link('transactions', { ...given(query), ...more });
    const { transactions, problems } = visit.words;
    const body = html`<h1>${transactions.title}</h1>
      <p class="soft">${transactions.intro}</p>
      ${form(visit, query, problem)} ${items.length > 0 && this.table(visit, items)}
      ${items.length === 0 && empty(problem ? problems.notRun : transactions.none)}
      ${pager(visit.words, cursor.after === undefined ? null : link({}), next === null ? null : link({ after: next }))}`;
    return page('transactions', transactions.title, body, problem ? { status: 400 } : {});
  }

  private filterOf(
    { words: { transactions, problems }, times }: Visit,
    { reference, from, to }: Query,
  ): {
    filter: TransactionFilter;
    problem: string | null;
  } {
    const filter: TransactionFilter = {};
    if (reference !== '') {
      if (!isSearchable(reference)) return { filter, problem: transactions.reference };
      filter.reference = reference;
    }
    for (const [name, value] of [
      ['from', from],
      ['to', to],
    ] as const) {
      if (value === '') continue;
      const time = times.fromField(value);
      if (!time) return { filter, problem: problems.time };
      filter[name] = time;
    }
    return { filter, problem: null };
  }

  private table(visit: Visit, records: readonly TransactionRecord[]): Html {
    const { common, transactions } = visit.words;
    return table(
      transactions.table,
      [
        { name: common.reference },
        { name: transactions.payer },
        { name: common.amount, isNumber: true },
        { name: common.originated },
        { name: common.till },
        { name: common.payment },
      ],
      records.flatMap(transactionsIn).map((money) => this.row(visit, money)),
    );
  }

  private row(visit: Visit, record: TillTransaction): (Html | string | null)[] {
    const { reference, till, received, reversal } = record;
    const money = received ?? reversal;
    const { words } = visit;
    return [
      html`<a class="mono" href="${visit.link('transaction', { till, reference })}"
          >${text(reference, 40)}</a
        >${reversal && html`<br />${state(words, 'reversed')}`}`,
      html`${text(payerOf(words, record), 60)}<br />${maskedPhone(words, money?.senderPhoneNumber ?? null)}`,
      moneyOf(words, money?.amount ?? null, money?.currency ?? null),
      visit.times.showText(money?.originationTime ?? null),
      html`<span class="mono">${text(till, 40)}</span>`,
      owner(visit, record),
    ];
  }
}

function owner(visit: Visit, { paymentId, paymentLinkId }: TransactionSum): Html {
  const { common, transactions } = visit.words;
  if (paymentId) {
    const to = visit.link(`payments/${encodeURIComponent(paymentId)}`);
    return html`<a href="${to}">${common.payment}</a>`;
  }
  return paymentLinkId
    ? transactions.ofLink(html`<span class="mono">${text(paymentLinkId, 40)}</span>`)
    : html`<span class="soft">${common.noneKnown}</span>`;
}

export function payerOf({ common }: Words, { received, reversal }: TransactionSum): string {
  const money = received ?? reversal;
  const names = [money?.senderFirstName, money?.senderMiddleName, money?.senderLastName];
  return fullName(names) || (money?.sendingTill ?? common.unknown);
}

function given(query: Query): Record<string, string> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));
}

function form(visit: Visit, { reference, from, to }: Query, problem: string | null): Html {
  const { common } = visit.words;
  return html`<form class="filter filter--line" method="get" action="${visit.link('transactions')}">
    <div class="field">
      <label for="reference">${common.reference}</label>
      <input
        id="reference"
        name="reference"
        value="${reference.slice(0, 500)}"
        ${problem && html`aria-describedby="problem"`}
      />
    </div>
    <div class="field">
      <label for="from">${common.from}</label>
      <input id="from" name="from" type="datetime-local" value="${from.slice(0, 40)}" />
    </div>
    <div class="field">
      <label for="to">${common.to}</label>
      <input id="to" name="to" type="datetime-local" value="${to.slice(0, 40)}" />
    </div>
    <button>${common.apply}</button> ${inAccount(visit)}
    ${problem && html`<p class="field-error" id="problem">${problem}</p>`}
  </form>`;
}
