import { Injectable } from '@nestjs/common';
import type { PaymentLinkPreview } from '@tillkit/payments/types';
import { html, type Html } from '@tillkit/pages';
import { problemBox } from '../actions/action-problem.format.js';
import { checkedForm, type FormProblems } from '../actions/checked.form.js';
import { amountText } from '../actions/amount.format.js';
import { assertShown, keyOf, newKey, sealOf } from '../actions/confirmation.dto.js';
import { field, hidden } from '../actions/field.fragment.js';
import { inAccount } from '../html/account.fragment.js';
import { facts } from '../html/list.fragment.js';
import { money } from '../html/money.fragment.js';
import { text } from '../html/text.fragment.js';
import { page, redirect, type Answer } from '../web/answer.dto.js';
import { AuditLogService } from '../web/audit-log.service.js';
import type { Visit } from '../web/visit.dto.js';
import {
  LINK_FIELDS,
  linkProblems,
  linkRequestOf,
  readLinkForm,
  type LinkForm,
} from './link-form.dto.js';
import { WORDS } from '../words/english.words.js';

const EMPTY: LinkForm = {
  amount: '',
  currency: 'KES',
  paymentReference: '',
  note: '',
  tillNumber: '',
};

/** Makes a payment link in three steps: the form, the page that repeats it, and its button. */
@Injectable()
export class LinkFormPage {
  constructor(private readonly audit: AuditLogService) {}

  start(visit: Visit): Answer {
    return this.form(visit, newKey(), EMPTY);
  }

  async check(visit: Visit): Promise<Answer> {
    const key = keyOf(visit);
    const form = readLinkForm(visit.form);
    return this.answered(visit, key, form, () => {
      const preview = visit.account.paymentLinks.preview(linkRequestOf(form, key, visit.operator));
      return this.confirmation(visit, key, form, preview);
    });
  }

  /** Makes the link, at most once for the key of the form. */
  async send(visit: Visit): Promise<Answer> {
    const key = keyOf(visit);
    const form = readLinkForm(visit.form);
    assertShown(visit, sealed(key, form));
    return this.answered(visit, key, form, async () => {
      const request = linkRequestOf(form, key, visit.operator);
      const { id, amount } = await visit.account.paymentLinks.request(request);
      this.audit.changed(visit, `asked for payment link ${id} of ${amountText(amount)}`);
      const to = visit.link(`payment-links/${encodeURIComponent(id)}`, { notice: 'link-recorded' });
      return redirect(to);
    });
  }

  /** The answer of a step, or the form with what is wrong. */
  private answered(
    visit: Visit,
    key: string,
    form: LinkForm,
    answer: () => Promise<Answer> | Answer,
  ): Promise<Answer> {
    const typed = {
      fields: { ...form },
      problemsOf: linkProblems,
      show: (problems: FormProblems) => this.form(visit, key, form, problems),
    };
    return checkedForm(visit, typed, answer);
  }

  private form(visit: Visit, key: string, form: LinkForm, problems?: FormProblems): Answer {
    const { linkForm: words, actions } = WORDS;
    const { general, fields = {} } = problems ?? {};
    const above = general ?? (fields[''] === undefined ? null : html`${fields['']}`);
    const body = html`<h1>${words.title}</h1>
      ${problemBox(above)}
      <form
        class="review"
        method="post"
        action="${visit.link('payment-links/new')}"
        autocomplete="off"
      >
        <div class="fields">
          ${LINK_FIELDS.map((name) =>
            field({
              name,
              label: words.labels[name],
              value: form[name],
              problem: fields[name],
              isOptional: name !== 'amount' && name !== 'currency',
            }),
          )}
        </div>
        ${hidden({ key })}
        <p class="actions"><button>${actions.check}</button> ${inAccount(visit)}</p>
      </form>
      ${leave(visit)}`;
    return page('payment-links', words.title, body, {
      status: problems?.status ?? 200,
      isForm: true,
    });
  }

  private confirmation(
    visit: Visit,
    key: string,
    form: LinkForm,
    { amount, tillNumber, paymentReference, note }: PaymentLinkPreview,
  ): Answer {
    const { linkForm: words, actions, common } = WORDS;
    const body = html`<h1>${words.title}</h1>
      ${facts([
        [common.amount, money(amount)],
        [common.till, html`<span class="mono">${text(tillNumber)}</span>`],
        paymentReference !== null && [words.labels.paymentReference, text(paymentReference, 500)],
        note !== null && [words.labels.note, text(note, 500)],
      ])}
      <form class="review" method="post" action="${visit.link('payment-links')}" autocomplete="off">
        <p>${actions.lastStep}</p>
        ${hidden({ key, ...form, seal: sealOf(sealed(key, form)) })}
        <p class="actions">
          <button>Make the link for ${amountText(amount)}</button> ${inAccount(visit)}
        </p>
      </form>
      ${leave(visit)}`;
    return page('payment-links', words.title, body);
  }
}

function sealed(key: string, form: LinkForm): unknown[] {
  return [key, Object.entries(form)];
}

function leave(visit: Visit): Html {
  return html`<p><a href="${visit.link('payment-links')}">${WORDS.actions.leave}</a></p>`;
}
