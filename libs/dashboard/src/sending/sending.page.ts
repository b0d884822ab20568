import { Injectable } from '@nestjs/common';
import type { Pause, PauseEntry, PaymentsAccounts } from '@tillkit/payments';
import { html, type Html } from '@tillkit/pages';
import { inAccount } from '../html/account.fragment.js';
import { empty, table } from '../html/list.fragment.js';
import { text } from '../html/text.fragment.js';
import { TimeFormat } from '../html/time.format.js';
import { DashboardAccounts } from '../start/dashboard-accounts.service.js';
import { page, redirect, type Answer } from '../web/answer.dto.js';
import { AuditLogService } from '../web/audit-log.service.js';
import { isSearchable } from '../web/list.dto.js';
import { PageError } from '../web/page.errors.js';
import type { Visit } from '../web/visit.dto.js';

/** Entries of the history that are shown, the newest first. */
const MAX_SHOWN = 50;

const COLUMNS = [
  { name: 'Time' },
  { name: 'What' },
  { name: 'For' },
  { name: 'Operator' },
  { name: 'Reason' },
] as const;

/** Whether requests that move money are sent for an account, and the forms to pause and resume that. */
@Injectable()
export class SendingPage {
  constructor(
    private readonly accounts: DashboardAccounts,
    private readonly times: TimeFormat,
    private readonly audit: AuditLogService,
  ) {}

  async show(visit: Visit): Promise<Answer> {
    const { name } = visit.account;
    const [pauses, history] = await Promise.all([
      pausesOf(this.accounts.all, name),
      this.accounts.all.pauseHistory(name, MAX_SHOWN),
    ]);
    const own = pauses.find(({ account }) => account !== null);
    const body = html`<h1>Sending</h1>
      ${pauses.map((pause) => this.paused(pause))}
      ${pauses.length === 0 && html`<p>Payments, payouts and refunds are sent.</p>`}
      ${own ? form(visit, 'resume') : form(visit, 'pause')}
      <h2>History</h2>
      ${history.length > 0 ? this.history(history) : empty('Sending was never paused.')}`;
    return page('sending', 'Sending', body);
  }

  /** Pauses or resumes the account of the page. Only the application itself can pause and resume all accounts. */
  async decide(visit: Visit): Promise<Answer> {
    const what = visit.field('what');
    const note = visit.field('note');
    if ((what !== 'pause' && what !== 'resume') || !note || !isSearchable(note)) {
      throw new PageError(
        400,
        'Nothing was changed',
        'Write a reason of at most 500 characters, without control characters, and use the button of the page. The history shows the reason.',
      );
    }
    const { name: account } = visit.account;
    const hasChanged = await this.accounts.all[what]({ account, by: visit.operator, note });
    if (hasChanged) this.audit.changed(visit, `${what}d sending`);
    return redirect(visit.link('sending', { notice: `${what}d${hasChanged ? '' : '-already'}` }));
  }

  private paused({ account, by, note, at }: Pause): Html {
    return html`<p class="notice">
      Sending is paused for ${account === null ? 'all accounts' : 'this account'} since
      ${this.times.show(at)}, by ${text(by, 80)}: ${text(note, 500)}
      ${account === null && html`<br />Only the application can end this pause.`}
    </p>`;
  }

  private history(entries: readonly PauseEntry[]): Html {
    const rows = entries.map(({ at, what, account, by, note }) => [
      this.times.show(at),
      what,
      account === null ? 'all accounts' : 'this account',
      text(by, 80),
      text(note, 500),
    ]);
    return table('Pauses and resumptions, newest first', COLUMNS, rows);
  }
}

/** What pauses an account now: a pause of all accounts first, then its own. */
export async function pausesOf(accounts: PaymentsAccounts, name: string): Promise<Pause[]> {
  const all = await accounts.pauses();
  return [
    ...all.filter(({ account }) => account === null),
    ...all.filter(({ account }) => account === name),
  ];
}

function form(visit: Visit, what: 'pause' | 'resume'): Html {
  const isPause = what === 'pause';
  return html`<section class="review" aria-labelledby="${what}">
    <h2 id="${what}">${isPause ? 'Pause sending' : 'Resume sending'}</h2>
    <p>
      ${
        isPause
          ? 'Nothing that moves money is sent from then on, in every process. What was sent is settled as always.'
          : 'Payments that were recorded before and can still be sent in time are sent at once.'
      }
      The history records it with your name (${visit.operator}).
    </p>
    <form method="post" action="${visit.link('sending')}">
      <div class="fields">
        <div class="field">
          <label for="note">Reason</label>
          <input id="note" name="note" required maxlength="500" />
        </div>
      </div>
      <p class="actions">
        <button name="what" value="${what}">${isPause ? 'Pause sending' : 'Resume sending'}</button>
        ${inAccount(visit)}
      </p>
    </form>
  </section>`;
}
