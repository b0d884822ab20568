import { Injectable } from '@nestjs/common';
import { PaymentsValidationError, type Amount } from '@tillkit/payments';
import { html, type Html } from '@tillkit/pages';
import { page, redirect, type Answer } from '../web/answer.dto.js';
import { AuditLogService } from '../web/audit-log.service.js';
import { isSearchable } from '../web/list.dto.js';
import type { Visit } from '../web/visit.dto.js';
import { WORDS } from '../words/english.words.js';
import { actionProblem, problemBox } from './action-problem.format.js';
import { amountText } from './amount.format.js';
import { assertShown, keyOf, newKey, sealOf } from './confirmation.dto.js';
import { form, type FormDefinition, type Typed } from './form.fragment.js';

/** A request that operators make in three steps: the form, the page that repeats it, and its button. */
export interface RequestDefinition<T, Preview> {
  path: 'payouts' | 'payment-links';
  /** The audit log names the request by this text. */
  what: string;
  title: string;
  /** The form has these values at first. */
  empty: T;
  read: (fields: URLSearchParams) => T;
  /** Returns the texts of the fields by their names: the last page repeats them, and its button must send the same. */
  valuesOf: (asked: T) => Readonly<Record<string, string>>;
  form: (asked: T, typed: Typed) => Pick<FormDefinition, 'content' | 'fields' | 'isLoose'>;
  /** Returns the form after a button that only changes it; null for the button that goes on. */
  changed?: (visit: Visit, asked: T) => T | null;
  /** Gives the problems that the library found, by field. A problem that belongs to no field has the name ''. */
  problemsOf: (error: PaymentsValidationError) => Readonly<Record<string, string>>;
  preview: (visit: Visit, key: string, asked: T) => Preview | Promise<Preview>;
  /** Makes the facts that the page shows before the last step, and the label of its button. */
  shown: (preview: Preview, asked: T) => { facts: Html; lastStep: string; button: string };
  /** Makes the request, at most once for the key. */
  request: (visit: Visit, key: string, asked: T) => Promise<Requested>;
}

interface Requested {
  id: string;
  amount: Amount;
  notice: string;
}

/** The problems of a form, by field or in general. */
interface Problem {
  problems?: Readonly<Record<string, string>>;
  general?: Html;
  status: 400 | 409 | 503;
}

/** The pages of a form in three steps. */
@Injectable()
export abstract class RequestFormPage<T, Preview> {
  protected abstract readonly definition: RequestDefinition<T, Preview>;

  constructor(private readonly audit: AuditLogService) {}

  start(visit: Visit): Answer {
    return this.form(visit, newKey(), this.definition.empty);
  }

  async check(visit: Visit): Promise<Answer> {
    const { read, changed, preview } = this.definition;
    const key = keyOf(visit);
    const asked = read(visit.form);
    const other = changed?.(visit, asked);
    if (other) return this.form(visit, key, other);
    return this.answered(visit, key, asked, async () =>
      this.confirmation(visit, key, asked, await preview(visit, key, asked)),
    );
  }

  async send(visit: Visit): Promise<Answer> {
    const { read, path, what, request } = this.definition;
    const key = keyOf(visit);
    const asked = read(visit.form);
    assertShown(visit, this.sealed(key, asked));
    return this.answered(visit, key, asked, async () => {
      const { id, amount, notice } = await request(visit, key, asked);
      this.audit.changed(visit, `asked for ${what} ${id} of ${amountText(amount)}`);
      return redirect(visit.link(`${path}/${encodeURIComponent(id)}`, { notice }));
    });
  }

  /** Returns the answer of a step, or the form with its problems. */
  private async answered(
    visit: Visit,
    key: string,
    asked: T,
    answer: () => Promise<Answer>,
  ): Promise<Answer> {
    const { valuesOf, problemsOf } = this.definition;
    const unusable = Object.entries(valuesOf(asked)).filter(([, value]) => !isSearchable(value));
    if (unusable.length > 0) {
      const problems = Object.fromEntries(unusable.map(([name]) => [name, WORDS.problems.text]));
      return this.form(visit, key, asked, { problems, status: 400 });
    }
    try {
      return await answer();
    } catch (error) {
      if (error instanceof PaymentsValidationError)
        return this.form(visit, key, asked, { problems: problemsOf(error), status: 400 });
      const problem = actionProblem(visit, error);
      if (!problem) throw error;
      const status = problem.isUnknown ? 503 : 409;
      return this.form(visit, key, asked, { general: problem.text, status });
    }
  }

  private form(
    visit: Visit,
    key: string,
    asked: T,
    { problems = {}, general, status }: Partial<Problem> = {},
  ): Answer {
    const { path, title, valuesOf, form: formOf } = this.definition;
    const { '': ofNone } = problems;
    const typed = { values: valuesOf(asked), problems };
    const definition: FormDefinition = {
      action: visit.link(`${path}/new`),
      look: 'review',
      repeated: { key },
      button: { label: WORDS.actions.check },
      ...formOf(asked, typed),
    };
    const body = html`<h1>${title}</h1>
      ${problemBox(general ?? (ofNone === undefined ? null : html`${ofNone}`))}
      ${form(visit, definition, typed)} ${this.leave(visit)}`;
    return page(path, title, body, { status: status ?? 200, isForm: true });
  }

  private confirmation(visit: Visit, key: string, asked: T, preview: Preview): Answer {
    const { path, title, valuesOf, shown } = this.definition;
    const { facts, lastStep, button } = shown(preview, asked);
    const body = html`<h1>${title}</h1>
      ${facts}
      ${form(visit, {
        action: visit.link(path),
        look: 'review',
        intro: lastStep,
        repeated: { key, ...valuesOf(asked), seal: sealOf(this.sealed(key, asked)) },
        button: { label: button },
      })}
      ${this.leave(visit)}`;
    return page(path, title, body);
  }

  private sealed(key: string, asked: T): unknown[] {
    return [key, Object.entries(this.definition.valuesOf(asked))];
  }

  private leave(visit: Visit): Html {
    return html`<p><a href="${visit.link(this.definition.path)}">${WORDS.actions.leave}</a></p>`;
  }
}
