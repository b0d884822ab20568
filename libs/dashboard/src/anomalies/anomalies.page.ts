import { maskPhones } from '@tillkit/payments/routes';
import { Injectable } from '@nestjs/common';
import { html } from '@tillkit/pages';
import { empty, table } from '../html/list.fragment.js';
import { text } from '../html/text.fragment.js';
import { TimeFormat } from '../html/time.format.js';
import { page, type Answer } from '../web/answer.dto.js';
import type { Visit } from '../web/visit.dto.js';

const COLUMNS = [
  { name: 'Anomaly' },
  { name: 'Count', isNumber: true },
  { name: 'Last seen' },
  { name: 'Latest example' },
] as const;

/** The list of anomalies: data of the platform that is unknown, contradictory or suspicious. */
@Injectable()
export class AnomaliesPage {
  constructor(private readonly times: TimeFormat) {}

  async list(visit: Visit): Promise<Answer> {
    const anomalies = await visit.account.store.anomalies.list(visit.account.name);
    const rows = anomalies
      .toSorted((one, other) => other.lastAt.getTime() - one.lastAt.getTime())
      .map(({ what, example, count, lastAt }) => [
        text(maskPhones(what), 200),
        count.toLocaleString('en'),
        this.times.show(lastAt),
        html`<span class="mono">${text(maskPhones(example), 200)}</span>`,
      ]);
    const body = html`<h1>Anomalies</h1>
      <p class="soft">
        What the platform sent that is unknown, contradictory or suspicious. It changed no payment.
        See also the
        <a href="${visit.link('deliveries', { state: 'unrecognised' })}">unrecognised deliveries</a
        >. You can reprocess them after an upgrade.
      </p>
      ${rows.length > 0 && table('Anomalies, latest first', COLUMNS, rows)}
      ${rows.length === 0 && empty('No anomalies. Everything that the platform sent was understood.')}`;
    return page('anomalies', 'Anomalies', body);
  }
}
