import { Injectable } from '@nestjs/common';
import type { TransactionFilter, TransactionRecord, TransactionSum } from '@tillkit/payments/store';
import { PAGE_SIZE } from '../dashboard.constants.js';
import { html, type Html } from '../html/html.template.js';
import { empty, pager, table } from '../html/list.fragment.js';
import { moneyOf } from '../html/money.fragment.js';
import { maskedPhone } from '../html/phone.mask.js';
import { state } from '../html/state.fragment.js';
import { text } from '../html/text.fragment.js';
import { TimeFormat } from '../html/time.format.js';
import { DashboardAccount } from '../start/dashboard.account.js';
import { page, type Answer } from '../web/answer.js';
import { isAskable, readCursor } from '../web/list.input.js';
import type { Visit } from '../web/visit.js';
import { moneyIn, type KnownMoney } from './known.money.js';

const COLUMNS = [
  { name: 'Reference' },
  { name: 'Payer' },
  { name: 'Amount', isNumber: true },
  { name: 'Originated' },
  { name: 'Till' },
  { name: 'Whose money' },
] as const;

interface Asked {
  reference: string;
  from: string;
  to: string;
}

/** Money that the platform says moved, whoever asked for it. */
@Injectable()
export class TransactionsPage {
  constructor(
    private readonly account: DashboardAccount,
    private readonly times: TimeFormat,
  ) {}

  async list(visit: Visit): Promise<Answer> {
    const asked: Asked = {
      reference: visit.asked('reference') ?? '',
      from: visit.asked('from') ?? '',
      to: visit.asked('to') ?? '',
    };
    const { filter, problem } = this.filterOf(asked);
    const cursor = readCursor(visit.asked('after'));
    const { items, next } = problem
      ? { items: [], next: null }
      : await this.account.store.listTransactions(this.account.name, filter, {
          limit: PAGE_SIZE,
          ...cursor,
        });
    const link = (more: object): string => visit.link('transactions', { ...given(asked), ...more });
    const body = html`<h1>Till transactions</h1>
      <p class="soft">Money that the platform says came to your tills, latest first.</p>
      ${form(visit, asked, problem)} ${items.length > 0 && this.table(visit, items)}
      ${items.length === 0 && empty(problem ? 'Nothing was searched for.' : 'There is none.')}
      ${pager(cursor.after === undefined ? null : link({}), next === null ? null : link({ after: next }))}`;
    return page('transactions', 'Till transactions', body, problem ? { status: 400 } : {});
  }

  private filterOf({ reference, from, to }: Asked): {
    filter: TransactionFilter;
    problem: string | null;
  } {
    const filter: TransactionFilter = {};
    if (reference !== '') {
      if (!isAskable(reference))
        return { filter, problem: 'The reference is too long, or no text.' };
      filter.reference = reference;
    }
    for (const [name, value] of [
      ['from', from],
      ['to', to],
    ] as const) {
      if (value === '') continue;
      const time = this.times.fromField(value);
      if (!time)
        return { filter, problem: 'A time is written as 2026-11-21T14:05, or 2026-11-21.' };
      filter[name] = time;
    }
    return { filter, problem: null };
  }

  private table(visit: Visit, records: readonly TransactionRecord[]): Html {
    return table(
      'Till transactions, latest first',
      COLUMNS,
      records.flatMap(moneyIn).map((money) => this.row(visit, money)),
    );
  }

  private row(visit: Visit, record: KnownMoney): (Html | string | null)[] {
    const { reference, till, paymentId, received, reversal } = record;
    const money = received ?? reversal;
    return [
      html`<a class="mono" href="${visit.link('transaction', { till, reference })}"
          >${text(reference, 40)}</a
        >${reversal && html`<br />${state('reversed')}`}`,
      html`${text(payerOf(record), 60)}<br />${maskedPhone(money?.senderPhoneNumber ?? null)}`,
      moneyOf(money?.amount ?? null, money?.currency ?? null),
      this.times.showText(money?.originationTime ?? null),
      html`<span class="mono">${text(till, 40)}</span>`,
      paymentId
        ? html`<a href="${visit.link(`payments/${encodeURIComponent(paymentId)}`)}">a payment’s</a>`
        : html`<span class="soft">no payment’s</span>`,
    ];
  }
}

export function payerOf({ received, reversal }: TransactionSum): string {
  const money = received ?? reversal;
  const names = [money?.senderFirstName, money?.senderMiddleName, money?.senderLastName];
  return names.filter(Boolean).join(' ') || 'not named';
}

function given(asked: Asked): Record<string, string> {
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== ''));
}

function form(visit: Visit, { reference, from, to }: Asked, problem: string | null): Html {
  return html`<form class="filter filter--line" method="get" action="${visit.link('transactions')}">
    <div class="field">
      <label for="reference">Reference</label>
      <input
        id="reference"
        name="reference"
        value="${reference.slice(0, 500)}"
        ${problem && html`aria-describedby="wrong"`}
      />
    </div>
    <div class="field">
      <label for="from">Originated from</label>
      <input id="from" name="from" type="datetime-local" value="${from.slice(0, 40)}" />
    </div>
    <div class="field">
      <label for="to">until before</label>
      <input id="to" name="to" type="datetime-local" value="${to.slice(0, 40)}" />
    </div>
    <button>Search</button>
    ${problem && html`<p class="wrong" id="wrong">${problem}</p>`}
  </form>`;
}
