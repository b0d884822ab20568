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
    const own = pauses.filter(({ account }) => account !== null);
    const body = html`<h1>Sending</h1>
      ${pauses.map((pause) => this.paused(pause))}
      ${pauses.length === 0 && html`<p>Payments, payouts and refunds are sent.</p>`}
      ${RESUMPTIONS.map((resumption) => {
        // In the order of their times: the last is the newest.
        const seen = own.findLast(({ restore }) => restore === resumption.restore);
        return seen && form(visit, 'resume', resumption, seen.at);
      })}
      ${own.every(({ restore }) => restore !== null) && form(visit, 'pause', PAUSE)}
      <h2>History</h2>
      ${history.length > 0 ? this.history(history) : empty('Sending was never paused.')}`;
    return page('sending', 'Sending', body);
  }

  /** Pauses or resumes the account of the page. Only the application itself can pause and resume all accounts. */
  async decide(visit: Visit): Promise<Answer> {
    const what = visit.field('what');
    const note = visit.field('note');
    const restore = RESUMPTIONS.find((each) => each.id === visit.field('ends'))?.restore ?? null;
    const seen = new Date(visit.field('seen') ?? '');
    const isUnclear = restore !== null && Number.isNaN(seen.getTime());
    if ((what !== 'pause' && what !== 'resume') || isUnclear || !note || !isSearchable(note)) {
      throw new PageError(
        400,
        'Nothing was changed',
        'Write a reason of at most 500 characters, without control characters, and use the button of the page. The history shows the reason.',
      );
    }
    const { name: account } = visit.account;
    const decision = { account, by: visit.operator, note };
    const hasChanged = await (what === 'pause'
      ? this.accounts.all.pause(decision)
      : this.accounts.all.resume({ ...decision, restore, seen }));
    if (hasChanged) this.audit.changed(visit, `${what}d sending`);
    return redirect(visit.link('sending', { notice: `${what}d${hasChanged ? '' : '-already'}` }));
  }

  private paused(pause: Pause): Html {
    const { account, by, note, at } = pause;
    return html`<p class="notice">
      ${whatIsPaused(pause)} paused for ${account === null ? 'all accounts' : 'this account'} since
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

/** What pauses an account now: a pause of all accounts first, then its own, and last one of payouts only. */
export async function pausesOf(accounts: PaymentsAccounts, name: string): Promise<Pause[]> {
  const all = await accounts.pauses();
  return all.filter(({ account }) => account === null || account === name);
}

/** What a form of the page does, in words. */
interface Decision {
  id: string;
  title: string;
  effect: string;
}

const PAUSE: Decision = {
  id: 'pause',
  title: 'Pause sending',
  effect:
    'Nothing that moves money is sent from then on, in every process. What was sent is settled as always.',
};

/** What ends each pause. The form names the pause that it ends and when it began, because there may be another one meanwhile. */
const RESUMPTIONS: readonly (Decision & Pick<Pause, 'restore'>)[] = [
  {
    restore: null,
    id: 'resume',
    title: 'Resume sending',
    effect: 'Payments that were recorded before and can still be sent in time are sent at once.',
  },
  {
    restore: 'everything',
    id: 'resume-everything',
    title: 'Resume before the lost time was read',
    effect:
      'It ends by itself. A customer who has paid since the backup may be asked again if you end it before.',
  },
  {
    restore: 'money-out',
    id: 'resume-money-out',
    title: 'Resume payouts and refunds',
    effect:
      'Compare the payouts and refunds since the backup with the portal of the platform first: a supplier may be paid again.',
  },
];

/** What a pause holds up, as the beginning of a sentence. */
export function whatIsPaused({ restore }: Pick<Pause, 'restore'>): string {
  return restore === 'money-out' ? 'Payouts and refunds are' : 'Sending is';
}

function form(
  visit: Visit,
  what: 'pause' | 'resume',
  { id, title, effect }: Decision,
  seen?: Date,
): Html {
  return html`<section class="review" aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    <p>${effect} The history records it with your name (${visit.operator}).</p>
    <form method="post" action="${visit.link('sending')}">
      <input type="hidden" name="ends" value="${id}" />
      <input type="hidden" name="seen" value="${seen?.toISOString() ?? ''}" />
      <div class="fields">
        <div class="field">
          <label for="${id}-note">Reason</label>
          <input id="${id}-note" name="note" required maxlength="500" />
        </div>
      </div>
      <p class="actions">
        <button name="what" value="${what}">${title}</button>
        ${inAccount(visit)}
      </p>
    </form>
  </section>`;
}
