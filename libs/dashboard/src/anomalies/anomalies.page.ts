import { maskPhones } from '@tillkit/payments/routes';
import { Injectable } from '@nestjs/common';
import { anomalySubject, type Anomaly } from '@tillkit/payments/store';
import { html, type Html } from '@tillkit/pages';
import { empty, table } from '../html/list.fragment.js';
import { count as shownCount } from '../html/number.format.js';
import { text } from '../html/text.fragment.js';
import { operationSubject, transactionSubject } from '../subjects/subject.fragment.js';
import { Subjects } from '../subjects/subjects.query.js';
import { page, type Answer } from '../web/answer.dto.js';
import { isId } from '../web/list.dto.js';
import type { Visit } from '../web/visit.dto.js';

/** The list of anomalies: data of the platform that is unknown, contradictory or suspicious. */
@Injectable()
export class AnomaliesPage {
  async list(visit: Visit): Promise<Answer> {
    const { account, words, times } = visit;
    const anomalies = await account.store.anomalies.list(account.name);
    const subjects = await subjectsOf(visit, anomalies);
    const rows = anomalies
      .toSorted((one, other) => other.lastAt.getTime() - one.lastAt.getTime())
      .map((anomaly) => [
        text(maskPhones(anomaly.what), 200),
        shownCount(words, anomaly.count),
        times.show(anomaly.lastAt),
        example(visit, anomaly, subjects),
      ]);
    const { title, intro, unrecognised, table: caption, columns, none } = words.anomalies;
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

function subjectsOf({ account }: Visit, anomalies: readonly Anomaly[]): Promise<Subjects> {
  const examplesOf = (kind: ReturnType<typeof anomalySubject>): string[] =>
    anomalies.filter(({ what }) => anomalySubject(what) === kind).map(({ example: id }) => id);
  return Subjects.read(account, examplesOf('operation'), examplesOf('transaction'));
}

/** The latest example, with a link to the operation, transaction or delivery that it names. */
function example(visit: Visit, { what, example: name }: Anomaly, subjects: Subjects): Html {
  const shown = html`<span class="mono">${text(maskPhones(name), 200)}</span>`;
  switch (anomalySubject(what)) {
    case 'operation': {
      const operation = subjects.operation(name);
      return operation ? operationSubject(visit, operation) : shown;
    }
    case 'transaction': {
      const transaction = subjects.transaction(name);
      return transaction ? transactionSubject(visit, transaction) : shown;
    }
    case 'delivery':
      return isId(name)
        ? html`<a href="${visit.link(`deliveries/${encodeURIComponent(name)}`)}"
            >${visit.words.anomalies.delivery(shown)}</a
          >`
        : shown;
    case null:
      return shown;
  }
}
