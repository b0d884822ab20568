import { maskPhones } from '@tillkit/payments/internal/routes';
import { Injectable } from '@nestjs/common';
import {
  isPayment,
  type OperationFilter,
  type OperationRecord,
  type PaymentRecord,
} from '@tillkit/payments/internal/store';
import { html, type Html } from '@tillkit/pages';
import { buttonForm } from '../actions/form.fragment.js';
import { hasPhone, readPhone } from '../html/phone.format.js';
import { masked, plainMasked, plainText, text } from '../html/text.fragment.js';
import { KINDS, pathOf } from '../operations/operation-kinds.js';
import { searchList } from '../lists/list.page.js';
import { AuditLogService } from '../web/audit-log.service.js';
import { page, redirect, type Answer } from '../web/answer.dto.js';
import { isSearchable } from '../web/list.dto.js';
import type { Visit } from '../web/visit.dto.js';
import { transactionsIn, type TillTransaction } from '../transactions/till-transaction.dto.js';
import { transactionsTable } from '../transactions/transactions.definition.js';
import { paymentsList } from './payments.definition.js';
import { paymentsTable } from './payments-table.fragment.js';
import { WORDS } from '../words/english.words.js';

/** Digits with the separators that people write between them. */
const PHONE = /^\+?[\d\s().-]{7,25}$/;

/** An amount as people write it, also with its currency. */
const AMOUNT = /^(?:[A-Za-z]{3}\s*)?(\d{1,3}(?:,\d{3})+|\d{1,9})(\.\d{1,2})?$/;

/** A part of a receipt code. A shorter text would fit too many receipts. */
const RECEIPT = /^[A-Za-z0-9]{3,20}$/;

/** The page shows this many of each kind. The list of the kind has all. */
const MOST_SHOWN = 5;

/** We look at this many transactions for a receipt. */
const MOST_RECEIPTS = 50;

/** The payments that one kind of field has found. */
interface Found {
  title: string;
  payments: readonly PaymentRecord[];
  /** The store has looked at payments down to this time; missing when there are no older ones. */
  lookedTo?: Date;
  /** The filter of the list that has all of them. */
  all: Readonly<Record<string, string>>;
}

/**
 * Finds an operation by its id or order number. Finds payments also by the beginning of the order number, a part of a receipt, an amount, a
 * name or a phone number.
 */
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
    if (phone !== null || hasPhone(search)) this.audit.searched(visit, 'payments', phone ?? search);
    if (phone !== null) {
      visit.form = new URLSearchParams({ phone: search });
      return searchList(visit, paymentsList(visit));
    }
    return this.byParts(visit, search);
  }

  /** A browser that opens the address of a search result gets the list, because the address does not contain the search text. */
  found(visit: Visit): Answer {
    return redirect(visit.link('payments'));
  }

  private async byParts(visit: Visit, search: string): Promise<Answer> {
    const [receipts, ...others] = await Promise.all([
      byReceipt(visit, search),
      byAmount(visit, search),
      byOrderNumber(visit, search),
      byName(visit, search),
    ]);
    const found = [receipts, ...others].filter((one) => one !== null);
    const { untied } = receipts;
    // When the store has not looked at everything, the wanted payment may be among the rest.
    const only = found.some(({ lookedTo }) => lookedTo) ? null : onlyOf(visit, found, untied);
    if (only !== null) return redirect(only);
    const shown = found.filter(({ payments, lookedTo }) => payments.length > 0 || lookedTo);
    if (shown.length === 0 && untied.length === 0) return nothingFound(visit, search);
    const body = html`<h1>Found for <strong>${masked(search, 80)}</strong></h1>
      ${shown.map((one) => section(visit, one))}
      ${
        untied.length > 0 &&
        html`<h2>At the till, without a payment</h2>
          ${transactionsTable(visit, untied.slice(0, MOST_SHOWN))}
          ${untied.length > MOST_SHOWN && allOf(visit, 'transactions', receipts.all)}`
      }`;
    return page('payments', `Found: ${plainMasked(search, 40)}`, body);
  }
}

/** Returns the address of the page of what was found; null unless it is exactly one thing. */
function onlyOf(
  visit: Visit,
  found: readonly Found[],
  untied: readonly TillTransaction[],
): string | null {
  const payments = new Set(found.flatMap((one) => one.payments.map(({ id }) => id)));
  if (payments.size + untied.length !== 1) return null;
  const [id] = payments;
  if (id !== undefined) return visit.link(`payments/${encodeURIComponent(id)}`);
  const { till, reference } = untied[0] as TillTransaction;
  return visit.link('transaction', { till, reference });
}

function section(visit: Visit, { title, payments, lookedTo, all }: Found): Html {
  const { lists } = WORDS;
  return html`<h2>${title}</h2>
    ${
      payments.length > 0
        ? paymentsTable(visit, payments.slice(0, MOST_SHOWN))
        : html`<p>${lists.noneSoFar}</p>`
    }
    ${lookedTo && html`<p class="soft">${lists.lookedTo(visit.times.show(lookedTo))}</p>`}
    ${(payments.length > MOST_SHOWN || lookedTo) && allOf(visit, 'payments', all)}`;
}

/** Returns the link to a list. It is a form when the filter names a person. */
function allOf(visit: Visit, list: 'payments' | 'transactions', all: Found['all']): Html {
  const { found: words } = WORDS.payments;
  const isPrivate = Object.entries(all).some(([name, value]) => name === 'name' || hasPhone(value));
  if (!isPrivate) return html`<p><a href="${visit.link(list, all)}">${words.all}</a></p>`;
  return buttonForm(visit, {
    action: visit.link(`${list}/search`),
    repeated: all,
    button: { label: words.all, look: 'quiet' },
  });
}

/** Returns the operation of any kind with this id, idempotency key or platform id. */
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

async function matching(
  { account: { store, name } }: Visit,
  filter: OperationFilter,
): Promise<Pick<Found, 'payments' | 'lookedTo'>> {
  const wanted = { kind: 'payment', ...filter };
  const { items, lookedTo } = await store.operations.list(name, wanted, { limit: MOST_SHOWN + 1 });
  return { payments: items.filter(isPayment), ...(lookedTo && { lookedTo }) };
}

/** Returns payments of transactions whose reference begins or ends so, and such transactions without a payment. */
async function byReceipt(visit: Visit, search: string) {
  const { account } = visit;
  const isPart = RECEIPT.test(search);
  const { items, next, lookedTo } = await account.store.transactions.list(
    account.name,
    isPart ? { receipt: search } : { reference: search },
    { limit: MOST_RECEIPTS },
  );
  const ids = items.flatMap(({ sums }) => sums.flatMap(({ paymentId }) => paymentId ?? []));
  const { payments } = ids.length > 0 ? await matching(visit, { ids }) : { payments: [] };
  const oldest = lookedTo ?? (next === null ? undefined : items.at(-1)?.createdAt);
  return {
    title: 'By receipt',
    payments,
    ...(oldest && { lookedTo: oldest }),
    untied: items.flatMap(transactionsIn).filter(({ paymentId }) => paymentId === null),
    all: { reference: search },
  };
}

async function byAmount(visit: Visit, search: string): Promise<Found | null> {
  const [, whole, decimals = ''] = AMOUNT.exec(search) ?? [];
  if (whole === undefined) return null;
  const amount = whole.replaceAll(',', '') + decimals;
  const all = { amountFrom: amount, amountTo: amount };
  return { title: 'By amount', ...(await matching(visit, all)), all };
}

async function byOrderNumber(visit: Visit, search: string): Promise<Found | null> {
  if (search.length < 2) return null;
  return {
    title: 'By order number',
    ...(await matching(visit, { keyBeginsWith: search })),
    all: { key: search },
  };
}

async function byName(visit: Visit, search: string): Promise<Found | null> {
  if (search.length < 2 || !/\p{L}/u.test(search)) return null;
  return {
    title: 'By name',
    ...(await matching(visit, { name: search })),
    all: { name: search },
  };
}

function nothingFound(visit: Visit, search: string): Answer {
  const masked = maskPhones(search);
  const body = html`<h1>Nothing found</h1>
    <p>
      No payment has <strong>${text(masked, 80)}</strong> as its id, order number, receipt, amount
      or name, and it is not a valid phone number.
    </p>
    <p>
      Write the beginning of an order number or of a name, the beginning or the end of a receipt (3
      characters or more), or a whole amount. Write phone numbers in the international form,
      +254700000000, or as in the country of the account.
    </p>
    <p><a href="${visit.link('payments')}">All payments</a></p>`;
  return page('payments', `Nothing found: ${plainText(masked, 40)}`, body, { status: 404 });
}
