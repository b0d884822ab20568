import { Injectable } from '@nestjs/common';
import { isPayment, type OperationRecord, type Page as ListPage } from '@tillkit/payments/store';
import { PAGE_SIZE } from '../dashboard.constants.js';
import { html, type Html } from '@tillkit/pages';
import { empty, pager } from '../html/list.fragment.js';
import { maskPhone, readPhone } from '../html/phone.format.js';
import { page, redirect, type Answer } from '../web/answer.dto.js';
import { readCursor } from '../web/list.dto.js';
import { AuditLogService } from '../web/audit-log.service.js';
import type { Visit } from '../web/visit.dto.js';
import {
  isInvalid,
  linkQueryOf,
  readPaymentsQuery,
  type PaymentsQuery,
} from './payments-query.dto.js';
import { paymentsTable } from './payments-table.fragment.js';
import { nextPageForm, searchForm } from './search-form.fragment.js';

const NO_PAYMENTS: ListPage<OperationRecord> = { items: [], next: null };

/** The list of payments and its search. */
@Injectable()
export class PaymentsPage {
  constructor(private readonly audit: AuditLogService) {}

  /** The list for the query parameters. */
  async list(visit: Visit): Promise<Answer> {
    const query = this.read(visit, visit.query);
    // Our pages never put a phone number into an address. We ignore one that somebody else put there.
    delete query.filter.phoneNumber;
    delete query.problems.phone;
    query.typed.phone = '';
    return this.show(visit, query, visit.parameter('after'));
  }

  /** The result of the search form: a page for a search by phone number, else a redirect to a shareable address. */
  async search(visit: Visit): Promise<Answer> {
    const query = this.read(visit, visit.form);
    const after = visit.field('after');
    if (query.typed.phone === '' && !isInvalid(query) && after === undefined) {
      return redirect(visit.link('payments', linkQueryOf(query)));
    }
    return this.show(visit, query, after);
  }

  /** The payments of a phone number. */
  async byPhone(visit: Visit, phone: string): Promise<Answer> {
    return this.show(visit, this.read(visit, new URLSearchParams({ phone })), undefined);
  }

  private read({ account, words, times }: Visit, fields: URLSearchParams): PaymentsQuery {
    return readPaymentsQuery(fields, times, (text) => readPhone(account, text), words);
  }

  private async show(
    visit: Visit,
    query: PaymentsQuery,
    after: string | undefined,
  ): Promise<Answer> {
    const { filter } = query;
    const cursor = readCursor(after);
    if (filter.phoneNumber && !isInvalid(query)) this.audit.searched(visit, filter.phoneNumber);
    const found = isInvalid(query)
      ? NO_PAYMENTS
      : await visit.account.store.operations.list(visit.account.name, filter, {
          limit: PAGE_SIZE,
          ...cursor,
        });
    const { title } = visit.words.payments;
    const body = html`<h1>${title}</h1>
      ${searchForm(visit, query, hasCriteria(query))} ${scope(visit, query)}
      ${found.items.length > 0 && paymentsTable(visit, found.items.filter(isPayment))}
      ${found.items.length === 0 && empty(whyEmpty(visit, query, after))}
      ${this.pages(visit, query, found.next, after)}`;
    return page('payments', title, body, isInvalid(query) ? { status: 400 } : {});
  }

  private pages(
    visit: Visit,
    query: PaymentsQuery,
    next: string | null,
    after: string | undefined,
  ): Html | null {
    if (query.typed.phone !== '') return next === null ? null : nextPageForm(visit, query, next);
    const link = (more: object): string =>
      visit.link('payments', { ...linkQueryOf(query), ...more });
    return pager(
      visit.words,
      after === undefined ? null : link({}),
      next === null ? null : link({ after: next }),
    );
  }
}

function whyEmpty({ words }: Visit, query: PaymentsQuery, after: string | undefined): string {
  const { notRun, end, noMatch, none } = words.payments.empty;
  if (isInvalid(query)) return notRun;
  if (after !== undefined) return end;
  return hasCriteria(query) ? noMatch : none;
}

function hasCriteria({ typed, states }: PaymentsQuery): boolean {
  return states.length > 0 || Object.values(typed).some((value) => value !== '');
}

function scope({ words }: Visit, { filter }: PaymentsQuery): Html | null {
  if (!filter.phoneNumber) return null;
  const phone = html`<span class="phone">${maskPhone(filter.phoneNumber)}</span>`;
  return html`<p class="soft">${words.payments.ofPhone(phone)}</p>`;
}
