import { Injectable } from '@nestjs/common';
import type { Payout } from '@tillkit/payments';
import type { PayoutPreview } from '@tillkit/payments/types';
import { html, type Html } from '@tillkit/pages';
import { amountText } from '../actions/amount.format.js';
import { RequestFormPage, type RequestDefinition } from '../actions/request-form.page.js';
import { facts, table } from '../html/list.fragment.js';
import { money } from '../html/money.fragment.js';
import { plainText, text } from '../html/text.fragment.js';
import { PageError } from '../web/page.errors.js';
import type { Visit } from '../web/visit.dto.js';
import { WORDS } from '../words/english.words.js';
import { destination, nameOfDestination, purpose } from './destination.fragment.js';
import {
  fieldsOf,
  isDestinationType,
  MOST_DESTINATIONS,
  payoutProblems,
  readPayoutForm,
  requestOf,
  type PayoutForm,
} from './payout-form.dto.js';
import { payoutFields } from './payout-form.fragment.js';

const REQUEST: RequestDefinition<PayoutForm, PayoutPreview> = {
  path: 'payouts',
  what: 'payout',
  title: WORDS.payoutForm.title,
  empty: { currency: 'KES', source: '', rows: [{ type: 'mobile_wallet', values: {} }] },
  read: readPayoutForm,
  valuesOf: fieldsOf,
  form: payoutFields,
  changed: withOtherRows,
  problemsOf: payoutProblems,
  preview: ({ account, operatorName }, key, asked) =>
    account.payouts.preview(requestOf(asked, key, operatorName)),
  shown: (preview, { source }) => ({
    facts: previewed(preview, source),
    lastStep: preview.needsApproval
      ? 'This amount needs the approval of a second person. The button sends nothing: it records the payout, and another person sends it.'
      : WORDS.actions.lastStep,
    button: buttonText(preview),
  }),
  request: async ({ account: { payouts }, operatorName }, key, asked) => {
    const request = requestOf(asked, key, operatorName);
    const preview = await payouts.preview(request);
    const payout = await payouts.request(request);
    if (!isSame(payout, preview)) throw new PageError(409, WORDS.errors.formUsed);
    return { ...payout, notice: payout.awaitsApproval ? 'payout-awaits' : 'payout-recorded' };
  },
};

/** Sends money out, or asks a second person to approve it. */
@Injectable()
export class PayoutFormPage extends RequestFormPage<PayoutForm, PayoutPreview> {
  protected readonly definition = REQUEST;
}

/** Returns the form after a button that adds or removes a destination; null for the button that goes on. */
function withOtherRows(visit: Visit, form: PayoutForm): PayoutForm | null {
  const { rows } = form;
  const removed = visit.field('remove');
  if (removed !== undefined)
    return { ...form, rows: rows.filter((_, index) => String(index) !== removed) };
  const added = visit.field('add') === undefined ? undefined : visit.field('type');
  if (!isDestinationType(added) || rows.length >= MOST_DESTINATIONS) return null;
  return { ...form, rows: [...rows, { type: added, values: {} }] };
}

/** The library compares accounts and amounts, not the texts about them. */
function isSame(payout: Payout, { destinations }: PayoutPreview): boolean {
  const texts = (recipient: object | null): unknown[] => {
    const { description, nickname, accountName, network } = (recipient ?? {}) as Record<
      string,
      unknown
    >;
    return [description, nickname, accountName, network].map((text) => text ?? null);
  };
  return (
    JSON.stringify(payout.destinations.map(({ recipient }) => texts(recipient))) ===
    JSON.stringify(destinations.map(texts))
  );
}

/** Shows each destination with its amount. */
function previewed({ amount, destinations }: PayoutPreview, source: string): Html {
  const { payoutForm, common, payout } = WORDS;
  const columns = [
    { name: payout.to },
    { name: payout.purpose },
    { name: common.amount, isNumber: true },
  ];
  const rows = destinations.map((recipient) => [
    destination(recipient, true),
    purpose(recipient, true),
    money({ currency: amount.currency, value: recipient.amount }),
  ]);
  return html`${table(payout.destinations, columns, rows)}
  ${facts([[payoutForm.sum, money(amount)], source !== '' && [payout.source, text(source)]])}`;
}

function buttonText({ amount, destinations, needsApproval }: PayoutPreview): string {
  const { payoutForm } = WORDS;
  const [only] = destinations;
  const to =
    destinations.length === 1 && only
      ? plainText(nameOfDestination(only), 60)
      : payoutForm.several(destinations.length);
  return (needsApproval ? payoutForm.ask : payoutForm.send)(amountText(amount), to);
}
