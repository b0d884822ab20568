import { Injectable } from '@nestjs/common';
import type { PaymentsAccounts } from '@tillkit/payments';
import type { Pause, PauseEntry } from '@tillkit/payments/types';
import { html, type Html } from '@tillkit/pages';
import { form, readForm, type FormField } from '../actions/form.fragment.js';
import { readOnly } from '../actions/read-only.fragment.js';
import { empty, table } from '../html/list.fragment.js';
import { masked, text } from '../html/text.fragment.js';
import { DashboardAccounts } from '../start/dashboard-accounts.service.js';
import { page, redirect, type Answer } from '../web/answer.dto.js';
import { AuditLogService } from '../web/audit-log.service.js';
import { PageError } from '../web/page.errors.js';
import type { Visit } from '../web/visit.dto.js';
import { WORDS } from '../words/english.words.js';

const NOTE: FormField = { name: 'note', label: WORDS.common.reason };

/** Entries of the history that are shown, the newest first. */
const MAX_SHOWN = 50;

/** Shows whether requests that move money are sent for an account, with the forms that pause and resume sending. */
@Injectable()
export class SendingPage {
  constructor(
    private readonly accounts: DashboardAccounts,
    private readonly audit: AuditLogService,
  ) {}

  async show(visit: Visit): Promise<Answer> {
    const { name } = visit.account;
    const [pauses, history] = await Promise.all([
      pausesOf(this.accounts.all, name),
      this.accounts.all.pauseHistory(name, MAX_SHOWN),
    ]);
    const isPaused = pauses.some(({ account }) => account !== null);
    const { sending } = WORDS;
    const body = html`<h1>${sending.title}</h1>
      ${pauses.map((pause) => this.paused(visit, pause))}
      ${pauses.length === 0 && html`<p>${sending.sent}</p>`}
      ${visit.mayAct ? decisionForm(visit, isPaused ? 'resume' : 'pause') : readOnly()}
      <h2>${sending.history}</h2>
      ${history.length > 0 ? this.history(visit, history) : empty(sending.neverPaused)}`;
    return page('sending', sending.title, body);
  }

  /** Pauses or resumes the account of the page. Only the application itself can pause and resume all accounts. */
  async decide(visit: Visit): Promise<Answer> {
    const what = visit.field('what');
    const { values, isUsable } = readForm([NOTE], visit.form);
    if ((what !== 'pause' && what !== 'resume') || !isUsable)
      throw new PageError(400, WORDS.errors.sending);
    const { name: account } = visit.account;
    const decision = { account, by: visit.operator, note: values['note'] ?? '' };
    const hasChanged = await this.accounts.all[what](decision);
    if (hasChanged) this.audit.changed(visit, `${what}d sending`);
    return redirect(visit.link('sending', { notice: `${what}d${hasChanged ? '' : '-already'}` }));
  }

  private paused({ times }: Visit, { account, by, note, at }: Pause): Html {
    const { here, everywhere } = WORDS.sending;
    const sentence = account === null ? everywhere : here;
    return html`<p class="notice">
      ${sentence(times.show(at), text(by, 80), masked(note, 500))}
      ${account === null && html`<br />${WORDS.sending.onlyApplication}`}
    </p>`;
  }

  private history({ times }: Visit, entries: readonly PauseEntry[]): Html {
    const { table: caption, columns, changes, thisAccount, allAccounts } = WORDS.sending;
    const rows = entries.map(({ at, what, account, by, note }) => [
      times.show(at),
      changes[what],
      account === null ? allAccounts : thisAccount,
      text(by, 80),
      masked(note, 500),
    ]);
    return table(
      caption,
      [
        { name: columns.time },
        { name: columns.what },
        { name: columns.for },
        { name: columns.operator },
        { name: WORDS.common.reason },
      ],
      rows,
    );
  }
}

/** Returns the pauses that stop an account now. A pause of all accounts comes first, then its own. */
export async function pausesOf(accounts: PaymentsAccounts, name: string): Promise<Pause[]> {
  const all = await accounts.pauses();
  return all.filter(({ account }) => account === null || account === name);
}

function decisionForm(visit: Visit, what: 'pause' | 'resume'): Html {
  const { sending } = WORDS;
  const { title, effect } = sending[what];
  return html`<section class="review" aria-labelledby="${what}">
    <h2 id="${what}">${title}</h2>
    ${form(visit, {
      action: visit.link('sending'),
      id: what,
      intro: html`${effect} ${sending.records(visit.operator)}`,
      fields: [NOTE],
      button: { label: title, name: 'what', value: what },
    })}
  </section>`;
}
