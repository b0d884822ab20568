import { Injectable } from '@nestjs/common';
import { PaymentsValidationError, type PaymentLinkPreview } from '@tillkit/payments';
import { html, type Html } from '@tillkit/pages';
import { actionProblem, problemBox } from '../actions/action-problem.format.js';
import { amountText } from '../actions/amount.format.js';
import { assertShown, keyOf, newKey, sealOf } from '../actions/confirmation.dto.js';
import { field, hidden } from '../actions/field.fragment.js';
import { inAccount } from '../html/account.fragment.js';
import { facts } from '../html/list.fragment.js';
import { money } from '../html/money.fragment.js';
import { text } from '../html/text.fragment.js';
import { page, redirect, type Answer } from '../web/answer.dto.js';
import { AuditLogService } from '../web/audit-log.service.js';
import { isSearchable } from '../web/list.dto.js';
import type { Visit } from '../web/visit.dto.js';
import {
  LINK_FIELDS,
  linkProblems,
  linkRequestOf,
  readLinkForm,
  type LinkForm,
} from './link-form.dto.js';

const EMPTY: LinkForm = {
  amount: '',
  currency: 'KES',
  paymentReference: '',
  note: '',
  tillNumber: '',
};

/** What is wrong with a form: by field, and in general. */
interface Problems {
  fields?: Readonly<Record<string, string>>;
  general?: Html;
  status: 400 | 409 | 503;
}

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
  private async answered(
    visit: Visit,
    key: string,
    form: LinkForm,
    answer: () => Promise<Answer> | Answer,
  ): Promise<Answer> {
    const { words } = visit;
    const unusable = Object.entries(form).filter(([, value]) => !isSearchable(value));
    if (unusable.length > 0) {
      const fields = unusable.map(([name]) => [name, words.problems.text] as const);
      return this.form(visit, key, form, { fields: Object.fromEntries(fields), status: 400 });
    }
    try {
      return await answer();
    } catch (error) {
      if (error instanceof PaymentsValidationError)
        return this.form(visit, key, form, { fields: linkProblems(error, words), status: 400 });
      const problem = actionProblem(visit, error);
      if (!problem) throw error;
      const status = problem.isUnknown ? 503 : 409;
      return this.form(visit, key, form, { general: problem.text, status });
    }
  }

  private form(visit: Visit, key: string, form: LinkForm, problems?: Problems): Answer {
    const { linkForm: words, actions } = visit.words;
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
    return page('payment-links', words.title, body, { status: problems?.status ?? 200 });
  }

  private confirmation(
    visit: Visit,
    key: string,
    form: LinkForm,
    { amount, tillNumber, paymentReference, note }: PaymentLinkPreview,
  ): Answer {
    const { linkForm: words, actions, common } = visit.words;
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
          <button>${words.make(amountText(amount))}</button> ${inAccount(visit)}
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
  return html`<p><a href="${visit.link('payment-links')}">${visit.words.actions.leave}</a></p>`;
}
