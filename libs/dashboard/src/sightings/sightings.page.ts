import { Injectable } from '@nestjs/common';
import { html } from '../html/html.template.js';
import { empty, table } from '../html/list.fragment.js';
import { maskPhones } from '../html/phone.mask.js';
import { text } from '../html/text.fragment.js';
import { TimeFormat } from '../html/time.format.js';
import { DashboardAccount } from '../start/dashboard.account.js';
import { page, type Answer } from '../web/answer.js';
import type { Visit } from '../web/visit.js';

const COLUMNS = [
  { name: 'What' },
  { name: 'Times', isNumber: true },
  { name: 'Last' },
  { name: 'Latest example' },
] as const;

/** What the platform sent that this version does not know, or did not expect: kept and counted, never guessed at. */
@Injectable()
export class SightingsPage {
  constructor(
    private readonly account: DashboardAccount,
    private readonly times: TimeFormat,
  ) {}

  async list(visit: Visit): Promise<Answer> {
    const sightings = await this.account.store.counts(this.account.name);
    const rows = sightings
      .toSorted((one, other) => other.lastAt.getTime() - one.lastAt.getTime())
      .map(({ what, example, count, lastAt }) => [
        text(maskPhones(what), 200),
        count.toLocaleString('en'),
        this.times.show(lastAt),
        html`<span class="mono">${text(maskPhones(example), 200)}</span>`,
      ]);
    const body = html`<h1>Oddities</h1>
      <p class="soft">
        What the platform sent that we did not know or did not expect. Nothing of it was guessed at;
        whole deliveries that nobody understands are
        <a href="${visit.link('deliveries', { state: 'unrecognised' })}">in the inbox</a>, and can
        be read again after an upgrade.
      </p>
      ${rows.length > 0 && table('Oddities, latest first', COLUMNS, rows)}
      ${rows.length === 0 && empty('There is none: all that came was understood.')}`;
    return page('sightings', 'Oddities', body);
  }
}
