import { canonicalValue } from '@tillkit/payments/internal/routes';
import {
  isSumListed,
  type Transaction,
  type TransactionFilter,
  type TransactionSum,
} from '@tillkit/payments/internal/store';
import { html, type Html } from '@tillkit/pages';
import type { CsvColumn } from '../csv/csv.format.js';
import { rowLink, table } from '../html/list.fragment.js';
import { moneyOf } from '../html/money.fragment.js';
import { fullName, maskedName } from '../html/name.format.js';
import { maskedPhone, maskPhone } from '../html/phone.format.js';
import { state } from '../html/state.fragment.js';
import { text } from '../html/text.fragment.js';
import type { ListDefinition, ListField } from '../lists/list.definition.js';
import { fieldsFor } from '../lists/list-fields.js';
import { WORDS } from '../words/english.words.js';
import type { Visit } from '../web/visit.dto.js';
import { transactionsIn, type TillTransaction } from './till-transaction.dto.js';

/** The states of money at a till, as the list calls them. */
const STATES = ['matched', 'unmatched', 'unreported', 'reversed'] as const;

/** Returns the list of money at the tills, with or without a payment request of ours. */
export function transactionsList(visit: Visit): ListDefinition<TransactionFilter, TillTransaction> {
  const { account } = visit;
  const { transactions } = WORDS;
  return {
    section: 'transactions',
    path: 'transactions',
    title: transactions.title,
    intro: 'Money that the platform reports at your tills, latest first.',
    states: STATES.map((value) => ({ value, label: transactions.states[value] })),
    filter: {},
    applyStates: (filter, wanted) => {
      if (wanted.includes('reversed')) filter.reversed = true;
      if (wanted.includes('unreported')) filter.reported = false;
      const isMatched = wanted.includes('matched');
      if (isMatched !== wanted.includes('unmatched')) filter.matched = isMatched;
    },
    fields: fieldsOf(visit),
    async read(filter, page) {
      const found = await account.store.transactions.list(account.name, filter, page);
      // The store finds records in which at least one sum fits.
      const items = found.items.flatMap((record) => {
        const all = transactionsIn(record);
        return all.length > 1 ? all.filter((sum) => isSumListed(sum, filter)) : all;
      });
      return { ...found, items };
    },
    table: (items) => transactionsTable(visit, items),
    none: 'No transactions.',
    noMatch: 'No transactions match.',
    columns: columnsFor(),
  };
}

function fieldsOf(visit: Visit): ListField<TransactionFilter>[] {
  const { common, payments } = WORDS;
  const { search: label } = payments;
  const { plain, phone, time, amount } = fieldsFor<TransactionFilter>(visit);
  return [
    plain({ name: 'reference', label: label.receipt }, 'receipt'),
    phone({ name: 'phone', label: label.phone, hint: label.phoneHint }, 'phoneNumber'),
    plain({ name: 'name', label: 'Name of the payer', isPrivate: true }, 'name'),
    amount({ name: 'amountFrom', label: label.amountFrom }, 'amountFrom'),
    amount({ name: 'amountTo', label: label.amountTo }, 'amountTo'),
    time({ name: 'from', label: common.from }, 'from'),
    time({ name: 'to', label: common.to }, 'to'),
    plain({ name: 'till', label: common.till }, 'tillNumber'),
  ];
}

export function transactionsTable(visit: Visit, records: readonly TillTransaction[]): Html {
  const { common, transactions } = WORDS;
  return table(
    'Till transactions, latest first',
    [
      { name: common.reference, card: 'id' },
      { name: transactions.payer, card: 'lead' },
      { name: common.amount, isNumber: true, card: 'amount' },
      { name: common.originated, card: 'time' },
      { name: common.till, card: 'state' },
      { name: common.payment, card: 'note' },
    ],
    records.map((money) => row(visit, money)),
  );
}

function row(visit: Visit, record: TillTransaction): (Html | string | null)[] {
  const { reference, till, received, reversal } = record;
  const money = received ?? reversal;
  return [
    html`${rowLink(
      visit.link('transaction', { till, reference }),
      html`<span class="mono">${text(reference, 40)}</span>`,
    )}${reversal && html`<br />${state('reversed')}`}`,
    html`${text(payerOf(record), 60)}<br />${maskedPhone(money?.senderPhoneNumber ?? null)}`,
    moneyOf(money?.amount ?? null, money?.currency ?? null),
    visit.times.showText(money?.originationTime ?? null),
    html`<span class="mono">${text(till, 40)}</span>`,
    owner(visit, record),
  ];
}

function owner(visit: Visit, { paymentId, paymentLinkId }: TransactionSum): Html {
  const { common } = WORDS;
  if (paymentId) {
    const to = visit.link(`payments/${encodeURIComponent(paymentId)}`);
    return html`<a href="${to}">${common.payment}</a>`;
  }
  return paymentLinkId
    ? html`Payment link <span class="mono">${text(paymentLinkId, 40)}</span>`
    : html`<span class="soft">${common.noneKnown}</span>`;
}

export function payerOf({ received, reversal }: TransactionSum, isRevealed = false): string {
  const name = isRevealed ? fullName : maskedName;
  const money = received ?? reversal;
  const names = [money?.senderFirstName, money?.senderMiddleName, money?.senderLastName];
  return name(names) || (money?.sendingTill ?? WORDS.common.unknown);
}

function columnsFor(): CsvColumn<TillTransaction>[] {
  const amountOf = (money: Transaction | null): string | null =>
    money?.amount == null
      ? null
      : (canonicalValue(money.amount, money.currency ?? '') ?? money.amount);
  const shown = ({ received, reversal }: TillTransaction) => received ?? reversal;
  return [
    { name: 'reference', cell: ({ reference }) => reference },
    { name: 'till', cell: ({ till }) => till },
    { name: 'originatedAt', cell: (money) => shown(money)?.originationTime },
    { name: 'currency', cell: (money) => shown(money)?.currency },
    { name: 'amount', cell: (money) => amountOf(shown(money)) },
    { name: 'payer', cell: (money) => payerOf(money) },
    { name: 'phone', cell: (money) => maskPhone(shown(money)?.senderPhoneNumber ?? '') },
    { name: 'reversed', cell: ({ reversal }) => (reversal ? 'yes' : 'no') },
    { name: 'paymentId', cell: ({ paymentId }) => paymentId },
    { name: 'paymentLinkId', cell: ({ paymentLinkId }) => paymentLinkId },
  ];
}
