import { maskPhones } from '@tillkit/payments/routes';
import { Injectable } from '@nestjs/common';
import {
  isPayment,
  type OperationFilter,
  type OperationRecord,
  type PaymentRecord,
} from '@tillkit/payments/store';
import { html, type Html } from '@tillkit/pages';
import { inAccount } from '../html/account.fragment.js';
import { readPhone } from '../html/phone.format.js';
import { plainText, text } from '../html/text.fragment.js';
import { KINDS, pathOf } from '../operations/operation.kinds.js';
import { searchList } from '../lists/list.page.js';
import { AuditLogService } from '../web/audit-log.service.js';
import { page, redirect, type Answer } from '../web/answer.dto.js';
import { isSearchable } from '../web/list.dto.js';
import type { LinkQuery, Visit } from '../web/visit.dto.js';
import { transactionsIn } from '../transactions/till-transaction.dto.js';
import { transactionsTable } from '../transactions/transactions.definition.js';
import { paymentsList } from './payments.definition.js';
import { paymentsTable } from './payments-table.fragment.js';

/** Digits with the separators that people write between them. */
const PHONE = /^\+?[\d\s().-]{7,25}$/;

/** An amount as people write it, also with its currency. */
const AMOUNT = /^(?:[A-Za-z]{3}\s*)?(\d{1,3}(?:,\d{3})+|\d{1,9})(\.\d{1,2})?$/;

/** A part of a receipt code: shorter ones begin or end too many. */
const RECEIPT = /^[A-Za-z0-9]{3,20}$/;

/** How many of each kind the page shows. The list of the kind has all. */
const MOST_SHOWN = 5;

/** What was found by one kind of field. */
interface Found {
  title: string;
  payments: readonly PaymentRecord[];
  /** The list with all of it: an address, or a field that is posted because it names a person. */
  all: { query: LinkQuery } | { field: string; value: string };
}

/** Finds an operation by an id or its order number; payments also by the beginning of it, a part of a receipt, an amount, a name or a phone number. */
@Injectable()
export class FindPage {
  constructor(private readonly audit: AuditLogService) {}

  async find(visit: Visit): Promise<Answer> {
    const search = visit.field('words') ?? '';
    if (search === '') return redirect(visit.link('payments'));
    if (!isSearchable(search)) return nothingFound(visit, search);
    const operation = await byIdOrKey(visit, search);
    if (operation) return redirect(visit.link(pathOf(operation)));
    const phone = PHONE.test(search) ? readPhone(visit.account, search) : null;
    if (phone !== null) {
      this.audit.searched(visit, 'payments', phone);
      visit.form = new URLSearchParams({ phone: search });
      return searchList(visit, paymentsList(visit));
    }
    return this.byParts(visit, search);
  }

  private async byParts(visit: Visit, search: string): Promise<Answer> {
    const [receipts, ...others] = await Promise.all([
      byReceipt(visit, search),
      byAmount(visit, search),
      byOrderNumber(visit, search),
      byName(visit, search),
    ]);
    const found = [receipts, ...others].filter((one) => one !== null);
    const payments = new Set(found.flatMap((one) => one.payments.map(({ id }) => id)));
    const untied = receipts?.untied ?? [];
    if (payments.size === 0 && untied.length === 0) return nothingFound(visit, search);
    const [only] = payments;
    if (payments.size === 1 && untied.length === 0)
      return redirect(visit.link(`payments/${encodeURIComponent(only as string)}`));
    const [money, ...more] = payments.size === 0 ? untied.flatMap(transactionsIn) : [];
    if (money && more.length === 0) {
      const { till, reference } = money;
      return redirect(visit.link('transaction', { till, reference }));
    }
    const { found: words } = visit.words.payments;
    const body = html`<h1>
        ${words.title(html`<strong>${text(maskPhones(search), 80)}</strong>`)}
      </h1>
      ${found
        .filter((one) => one.payments.length > 0)
        .map(
          (one) =>
            html`<h2>${one.title}</h2>
              ${paymentsTable(visit, one.payments.slice(0, MOST_SHOWN))}
              ${one.payments.length > MOST_SHOWN && allOf(visit, one)}`,
        )}
      ${
        untied.length > 0 &&
        html`<h2>${words.untied}</h2>
          ${transactionsTable(visit, untied.flatMap(transactionsIn))}`
      }`;
    return page('payments', words.titleOf(plainText(maskPhones(search), 40)), body);
  }
}

function allOf(visit: Visit, { all }: Found): Html {
  const { found: words } = visit.words.payments;
  if ('query' in all)
    return html`<p><a href="${visit.link('payments', all.query)}">${words.all}</a></p>`;
  return html`<form method="post" action="${visit.link('payments/search')}">
    <input type="hidden" name="${all.field}" value="${all.value}" />
    <button class="quiet">${words.all}</button> ${inAccount(visit)}
  </form>`;
}

/** The operation of any kind with this id, idempotency key or platform id. */
async function byIdOrKey({ account }: Visit, idOrKey: string): Promise<OperationRecord | null> {
  const { operations } = account.store;
  const byId = await operations.find(account.name, idOrKey);
  if (byId) return byId;
  for (const kind of KINDS) {
    const found =
      (await operations.findByIdempotencyKey(account.name, kind, idOrKey)) ??
      (await operations.findByPlatformId(account.name, kind, idOrKey));
    if (found) return found;
  }
  return null;
}

async function matching(visit: Visit, filter: OperationFilter): Promise<PaymentRecord[]> {
  const { store, name } = visit.account;
  const wanted = { kind: 'payment', ...filter };
  const { items } = await store.operations.list(name, wanted, { limit: MOST_SHOWN + 1 });
  return items.filter(isPayment);
}

/** Payments of transactions whose reference begins or ends so, and such transactions without a payment. */
async function byReceipt(visit: Visit, search: string) {
  const { account, words } = visit;
  const isPart = RECEIPT.test(search);
  const { items } = await account.store.transactions.list(
    account.name,
    isPart ? { receipt: search } : { reference: search },
    { limit: 50 },
  );
  const ids = items.flatMap(({ sums }) => sums.flatMap(({ paymentId }) => paymentId ?? []));
  const payments = ids.length > 0 ? await matching(visit, { ids }) : [];
  const untied = items.filter(({ sums }) => sums.some(({ paymentId }) => paymentId === null));
  return {
    title: words.payments.found.byReceipt,
    payments,
    untied,
    all: { query: { reference: search } },
  };
}

async function byAmount(visit: Visit, search: string): Promise<Found | null> {
  const [, whole, decimals = ''] = AMOUNT.exec(search) ?? [];
  if (whole === undefined) return null;
  const amount = whole.replaceAll(',', '') + decimals;
  return {
    title: visit.words.payments.found.byAmount,
    payments: await matching(visit, { amountFrom: amount, amountTo: amount }),
    all: { query: { amountFrom: amount, amountTo: amount } },
  };
}

async function byOrderNumber(visit: Visit, search: string): Promise<Found | null> {
  if (search.length < 2) return null;
  return {
    title: visit.words.payments.found.byOrderNumber,
    payments: await matching(visit, { keyBeginsWith: search }),
    all: { query: { key: search } },
  };
}

async function byName(visit: Visit, search: string): Promise<Found | null> {
  if (search.length < 2 || !/\p{L}/u.test(search)) return null;
  return {
    title: visit.words.payments.found.byName,
    payments: await matching(visit, { name: search }),
    all: { field: 'name', value: search },
  };
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
