import { maskPhones } from '@tillkit/payments/routes';
import { Injectable } from '@nestjs/common';
import { html } from '@tillkit/pages';
import { empty, table } from '../html/list.fragment.js';
import { count as shownCount } from '../html/number.format.js';
import { text } from '../html/text.fragment.js';
import { page, type Answer } from '../web/answer.dto.js';
import type { Visit } from '../web/visit.dto.js';

/** The list of anomalies: data of the platform that is unknown, contradictory or suspicious. */
@Injectable()
export class AnomaliesPage {
  async list(visit: Visit): Promise<Answer> {
    const anomalies = await visit.account.store.anomalies.list(visit.account.name);
    const rows = anomalies
      .toSorted((one, other) => other.lastAt.getTime() - one.lastAt.getTime())
      .map(({ what, example, count, lastAt }) => [
        text(maskPhones(what), 200),
        shownCount(visit.words, count),
        visit.times.show(lastAt),
        html`<span class="mono">${text(maskPhones(example), 200)}</span>`,
      ]);
    const { title, intro, unrecognised, table: caption, columns, none } = visit.words.anomalies;
    const to = visit.link('deliveries', { state: 'unrecognised' });
    const names = [
      { name: columns.anomaly },
      { name: columns.count, isNumber: true },
      { name: columns.lastSeen },
      { name: columns.example },
    ];
    const body = html`<h1>${title}</h1>
      <p class="soft">${intro(html`<a href="${to}">${unrecognised}</a>`)}</p>
      ${rows.length > 0 ? table(caption, names, rows) : empty(none)}`;
    return page('anomalies', title, body);
  }
}
