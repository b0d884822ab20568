import {
  anomalySubject,
  type Anomaly,
  type AnomalyExample,
} from '@tillkit/payments/internal/store';
import { html, type Html } from '@tillkit/pages';
import { table } from '../html/list.fragment.js';
import { count as shownCount } from '../html/number.format.js';
import { masked } from '../html/text.fragment.js';
import { operationSubject, transactionSubject } from '../subjects/subject.fragment.js';
import type { Subjects } from '../subjects/subjects.query.js';
import { isId } from '../web/list.dto.js';
import type { Visit } from '../web/visit.dto.js';

/** An example of an anomaly, the count of its kind, and the records that the examples of the page name. */
export interface ListedAnomaly extends AnomalyExample, Pick<Anomaly, 'kind' | 'count'> {
  subjects: Subjects;
}

export function anomaliesTable(visit: Visit, items: readonly ListedAnomaly[]): Html {
  const { times } = visit;
  return table(
    'Anomalies, latest first',
    [
      { name: 'Anomaly' },
      { name: 'Of this kind', isNumber: true },
      { name: 'Seen' },
      { name: 'Example' },
    ],
    items.map((item) => [
      masked(item.what, 200),
      shownCount(item.count),
      times.show(item.at),
      example(visit, item),
    ]),
  );
}

/** The example has a link to the operation, transaction or delivery that it names. */
function example(visit: Visit, { kind, example: name, subjects }: ListedAnomaly): Html {
  const shown = html`<span class="mono">${masked(name, 200)}</span>`;
  switch (anomalySubject(kind)) {
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
            >Delivery ${shown}</a
          >`
        : shown;
    case null:
      return shown;
  }
}
