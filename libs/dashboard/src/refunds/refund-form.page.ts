import { Injectable } from '@nestjs/common';
import { type Amount, type Refund } from '@tillkit/payments';
import { html, type Html } from '@tillkit/pages';
import { actionProblem, problemBox, type ActionProblem } from '../actions/action-problem.format.js';
import { amountText } from '../actions/amount.format.js';
import { assertShown, keyOf, newKey, sealOf } from '../actions/confirmation.dto.js';
import { form, readForm, type FormField } from '../actions/form.fragment.js';
import { facts } from '../html/list.fragment.js';
import { money } from '../html/money.fragment.js';
import { maskedPhone } from '../html/phone.format.js';
import { plainText, text } from '../html/text.fragment.js';
import { page, redirect, type Answer } from '../web/answer.dto.js';
import { AuditLogService } from '../web/audit-log.service.js';
import { PageError } from '../web/page.errors.js';
import type { Visit } from '../web/visit.dto.js';
import {
  refundOffer,
  refundSubject,
  type RefundOffer,
  type RefundSubject,
} from './refund-subject.js';
import { WORDS } from '../words/english.words.js';

const WHY: FormField = {
  name: 'why',
  label: WORDS.refundForm.why,
  hint: 'the platform gets it',
};

/** The typed reason, and the key of the form. */
interface Typed {
  key: string;
  why: string;
}

/** Sends received money back in three steps: the form, the page that repeats who gets which amount, and its button. */
@Injectable()
export class RefundFormPage {
  constructor(private readonly audit: AuditLogService) {}

  async start(visit: Visit): Promise<Answer> {
    const subject = await refundSubject(visit, visit.query);
    return this.offered(visit, subject, (offer) =>
      this.form(visit, offer, { key: newKey(), why: '' }),
    );
  }

  async check(visit: Visit): Promise<Answer> {
    const subject = await refundSubject(visit, visit.form);
    const typed = typedIn(visit);
    return this.offered(visit, subject, (offer) =>
      isUsable(visit)
        ? this.confirmation(visit, offer, typed)
        : this.form(visit, offer, typed, WORDS.problems.text),
    );
  }

  /** Requests the refund, which moves money at most once for the key of the form. */
  async send(visit: Visit): Promise<Answer> {
    const subject = await refundSubject(visit, visit.form);
    const typed = typedIn(visit);
    const shown = { currency: visit.field('currency') ?? '', value: visit.field('amount') ?? '' };
    assertShown(visit, sealed(typed, subject, shown));
    if (!isUsable(visit)) throw new PageError(409, WORDS.errors.formChanged);
    try {
      const refund = await this.request(visit, subject, typed, shown);
      this.audit.changed(visit, `asked for refund ${refund.id} of ${amountText(refund.amount)}`);
      return redirect(
        visit.link(`refunds/${encodeURIComponent(refund.id)}`, { notice: 'refund-recorded' }),
      );
    } catch (error) {
      const problem = actionProblem(visit, error);
      if (!problem) throw error;
      return problem.isUnknown
        ? this.confirmation(visit, { ...subject, ...subjectShown(visit, shown) }, typed, problem)
        : this.refused(visit, subject, problem.text);
    }
  }

  private async request(
    visit: Visit,
    { money: of }: RefundSubject,
    { key, why }: Typed,
    shown: Amount,
  ): Promise<Refund> {
    const { refunds } = visit.account;
    // A repeated request gets the refund of the first one. We do not preview it, because the first refund makes the money not refundable.
    if (!(await refunds.findByIdempotencyKey(key))) {
      const { amount } = await refunds.preview(of);
      if (amountText(amount) !== amountText(shown))
        throw new PageError(409, WORDS.errors.formChanged);
    }
    const request = { ...of, idempotencyKey: key, why, requestedBy: visit.operator };
    const refund = await refunds.request(request as Parameters<typeof refunds.request>[0]);
    // The library compares the money and not the reason. Another reason means that this form was used for the same money before.
    if (refund.why !== why) throw new PageError(409, WORDS.errors.formUsed);
    return refund;
  }

  /** Shows a page about money that can go back, or a page that says why it cannot. */
  private async offered(
    visit: Visit,
    subject: RefundSubject,
    show: (offer: RefundOffer) => Answer,
  ): Promise<Answer> {
    try {
      return show(await refundOffer(visit, subject));
    } catch (error) {
      const problem = actionProblem(visit, error);
      if (!problem) throw error;
      return this.refused(visit, subject, problem.text);
    }
  }

  private form(visit: Visit, offer: RefundOffer, typed: Typed, problem?: string): Answer {
    const { key, why } = typed;
    const body = html`${offerPart(offer)}
    ${form(
      visit,
      {
        action: visit.link('refunds/new', offer.fields),
        look: 'review',
        fields: [WHY],
        repeated: { key, ...offer.fields },
        button: { label: WORDS.actions.check },
      },
      { values: { why }, ...(problem !== undefined && { problems: { why: problem } }) },
    )}
    ${back(visit, offer)}`;
    return framed(body, problem === undefined ? 200 : 400);
  }

  private confirmation(
    visit: Visit,
    offer: RefundOffer,
    typed: Typed,
    problem?: ActionProblem,
  ): Answer {
    const { amount, payer, fields } = offer;
    const { value, currency } = amount;
    const seal = sealOf(sealed(typed, offer, amount));
    const body = html`${problemBox(problem?.text ?? null)} ${offerPart(offer, typed.why)}
    ${form(visit, {
      action: visit.link('refunds'),
      look: 'review',
      intro: WORDS.actions.lastStep,
      repeated: { ...typed, ...fields, amount: value, currency, seal },
      button: { label: `Refund ${amountText(amount)} to ${plainText(payer, 60)}` },
    })}
    ${back(visit, offer)}`;
    return framed(body, problem ? 503 : 200);
  }

  private refused(visit: Visit, subject: RefundSubject, problem: Html): Answer {
    return framed(html`${problemBox(problem)} ${back(visit, subject)}`, 409);
  }
}

/** The store does not answer, so the money is shown as the page before showed it. */
function subjectShown(
  visit: Visit,
  amount: Amount,
): Pick<RefundOffer, 'amount' | 'reference' | 'tillNumber'> {
  const [reference, tillNumber] = [visit.field('reference') ?? '', visit.field('till') ?? ''];
  return { amount, reference, tillNumber };
}

function typedIn(visit: Visit): Typed {
  return { key: keyOf(visit), why: visit.field('why') ?? '' };
}

function isUsable({ form: fields }: Visit): boolean {
  return readForm([WHY], fields).isUsable;
}

function sealed({ key, why }: Typed, { fields }: RefundSubject, amount: Amount): unknown[] {
  return [key, why, fields, amountText(amount)];
}

function offerPart(offer: RefundOffer, why?: string): Html {
  const { common, payment: names, refundForm: words } = WORDS;
  const { amount, payer, phone, reference, tillNumber, orderNumber } = offer;
  return facts([
    [common.amount, money(amount)],
    [words.to, text(payer, 120)],
    [common.phone, maskedPhone(phone)],
    reference !== '' && [common.reference, html`<span class="mono">${text(reference)}</span>`],
    tillNumber !== '' && [common.till, html`<span class="mono">${text(tillNumber)}</span>`],
    orderNumber !== null && [
      names.orderNumber,
      html`<span class="mono">${text(orderNumber, 400)}</span>`,
    ],
    why !== undefined && [words.why, text(why, 500)],
  ]);
}

function back(visit: Visit, { page: { path, query } }: RefundSubject): Html {
  return html`<p><a href="${visit.link(path, query)}">${WORDS.actions.leave}</a></p>`;
}

function framed(body: Html, status: 200 | 400 | 409 | 503): Answer {
  const { title } = WORDS.refundForm;
  return page(
    'refunds',
    title,
    html`<h1>${title}</h1>
      ${body}`,
    { status, isForm: true },
  );
}
