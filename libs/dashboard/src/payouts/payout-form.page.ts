import { Injectable } from '@nestjs/common';
import type { Amount, Payout } from '@tillkit/payments';
import type { PayoutPreview } from '@tillkit/payments/types';
import { html, type Html } from '@tillkit/pages';
import { problemBox } from '../actions/action-problem.format.js';
import { checkedForm, type FormProblems } from '../actions/checked.form.js';
import { amountText } from '../actions/amount.format.js';
import { assertShown, keyOf, newKey, sealOf } from '../actions/confirmation.dto.js';
import { hidden } from '../actions/field.fragment.js';
import { inAccount } from '../html/account.fragment.js';
import { facts, table } from '../html/list.fragment.js';
import { money } from '../html/money.fragment.js';
import { plainText, text } from '../html/text.fragment.js';
import { page, redirect, type Answer } from '../web/answer.dto.js';
import { AuditLogService } from '../web/audit-log.service.js';
import { PageError } from '../web/page.errors.js';
import type { Visit } from '../web/visit.dto.js';
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
import { WORDS } from '../words/english.words.js';

const EMPTY: PayoutForm = {
  currency: 'KES',
  source: '',
  rows: [{ type: 'mobile_wallet', values: {} }],
};

/** Sends money out in three steps: the form, the page that repeats who gets what, and its button. */
@Injectable()
export class PayoutFormPage {
  constructor(private readonly audit: AuditLogService) {}

  start(visit: Visit): Answer {
    return this.form(visit, newKey(), EMPTY);
  }

  /** The form with one destination more or less, or the page that repeats it. */
  async check(visit: Visit): Promise<Answer> {
    const key = keyOf(visit);
    const form = readPayoutForm(visit.form);
    const changed = withOtherRows(visit, form);
    if (changed) return this.form(visit, key, changed);
    return this.answered(visit, key, form, async () =>
      this.confirmation(visit, key, form, await this.preview(visit, key, form)),
    );
  }

  /** Moves money, or asks a second person: at most once for the key of the form. */
  async send(visit: Visit): Promise<Answer> {
    const key = keyOf(visit);
    const form = readPayoutForm(visit.form);
    assertShown(visit, sealed(key, form));
    return this.answered(visit, key, form, async () => {
      const preview = await this.preview(visit, key, form);
      const payout = await visit.account.payouts.request(requestOf(form, key, visit.operatorName));
      if (!isSame(payout, preview)) throw new PageError(409, WORDS.errors.formUsed);
      this.audit.changed(visit, `asked for payout ${payout.id} of ${amountText(payout.amount)}`);
      const notice = payout.awaitsApproval ? 'payout-awaits' : 'payout-recorded';
      return redirect(visit.link(`payouts/${encodeURIComponent(payout.id)}`, { notice }));
    });
  }

  private async preview(visit: Visit, key: string, form: PayoutForm): Promise<PayoutPreview> {
    return visit.account.payouts.preview(requestOf(form, key, visit.operatorName));
  }

  /** The answer of a step, or the form with what is wrong. */
  private answered(
    visit: Visit,
    key: string,
    form: PayoutForm,
    answer: () => Promise<Answer> | Answer,
  ): Promise<Answer> {
    const typed = {
      fields: fieldsOf(form),
      problemsOf: payoutProblems,
      show: (problems: FormProblems) => this.form(visit, key, form, problems),
    };
    return checkedForm(visit, typed, answer);
  }

  private form(visit: Visit, key: string, form: PayoutForm, problems?: FormProblems): Answer {
    const { payoutForm: words } = WORDS;
    const { general, fields = {} } = problems ?? {};
    const above = general ?? (fields[''] === undefined ? null : html`${fields['']}`);
    const body = html`<h1>${words.title}</h1>
      ${problemBox(above)}
      <form
        class="review"
        method="post"
        action="${visit.link('payouts/new')}"
        autocomplete="off"
        novalidate
      >
        ${hidden({ key })} ${payoutFields(visit, form, fields)}
      </form>
      ${leave(visit)}`;
    return page('payouts', words.title, body, {
      status: problems?.status ?? 200,
      isForm: true,
    });
  }

  private confirmation(
    visit: Visit,
    key: string,
    form: PayoutForm,
    { amount, destinations, needsApproval }: PayoutPreview,
  ): Answer {
    const { payoutForm, actions, common, payout } = WORDS;
    const rows = destinations.map((recipient) => [
      destination(recipient, true),
      purpose(recipient, true),
      money({ currency: amount.currency, value: recipient.amount }),
    ]);
    const columns = [
      { name: payout.to },
      { name: payout.purpose },
      { name: common.amount, isNumber: true },
    ];
    const body = html`<h1>${payoutForm.title}</h1>
      ${table(payout.destinations, columns, rows)}
      ${facts([
        [payoutForm.sum, money(amount)],
        form.source !== '' && [payout.source, text(form.source)],
      ])}
      <form class="review" method="post" action="${visit.link('payouts')}" autocomplete="off">
        <p>
          ${needsApproval ? 'This amount needs the approval of a second person. The button sends nothing: it records the payout, and another person sends it.' : actions.lastStep}
        </p>
        ${hidden({ key, ...fieldsOf(form), seal: sealOf(sealed(key, form)) })}
        <p class="actions">
          <button>${buttonText(amount, destinations, needsApproval)}</button>
          ${inAccount(visit)}
        </p>
      </form>
      ${leave(visit)}`;
    return page('payouts', payoutForm.title, body);
  }
}

/** The form after a button that adds or removes a destination; null for the button that goes on. */
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

function sealed(key: string, form: PayoutForm): unknown[] {
  return [key, Object.entries(fieldsOf(form))];
}

function buttonText(
  amount: Amount,
  destinations: PayoutPreview['destinations'],
  needsApproval: boolean,
): string {
  const { payoutForm } = WORDS;
  const [only] = destinations;
  const to =
    destinations.length === 1 && only
      ? plainText(nameOfDestination(only), 60)
      : payoutForm.several(destinations.length);
  return (needsApproval ? payoutForm.ask : payoutForm.send)(amountText(amount), to);
}

function leave(visit: Visit): Html {
  return html`<p><a href="${visit.link('payouts')}">${WORDS.actions.leave}</a></p>`;
}
