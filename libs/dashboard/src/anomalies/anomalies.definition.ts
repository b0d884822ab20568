import { maskPhones } from '@tillkit/payments/routes';
import { anomalySubject, type Anomaly } from '@tillkit/payments/store';
import { html } from '@tillkit/pages';
import type { CsvColumn } from '../csv/csv.format.js';
import type { ListDefinition, ListField } from '../lists/list.definition.js';
import { fieldsFor } from '../lists/list.fields.js';
import { orderNumberOf } from '../operations/order-number.format.js';
import { Subjects } from '../subjects/subjects.query.js';
import type { Visit } from '../web/visit.dto.js';
import { anomaliesTable, type ListedAnomaly } from './anomalies-table.fragment.js';

/** What the latest example of an anomaly is. */
const SUBJECTS = ['operation', 'transaction', 'delivery', 'other'] as const;

type Subject = (typeof SUBJECTS)[number];

interface AnomalyFilter {
  about?: Subject;
  from?: Date;
  to?: Date;
}

/** The list of anomalies: data of the platform that is unknown, contradictory or suspicious. */
export function anomaliesList(visit: Visit): ListDefinition<AnomalyFilter, ListedAnomaly> {
  const { account, words } = visit;
  const { title, intro, unrecognised, none, noMatch } = words.anomalies;
  const to = visit.link('deliveries', { state: 'unrecognised' });
  return {
    section: 'anomalies',
    path: 'anomalies',
    title,
    intro: intro(html`<a href="${to}">${unrecognised}</a>`),
    states: [],
    filter: {},
    applyStates: () => undefined,
    fields: fieldsOf(visit),
    // One page: the store counts equal anomalies together, so that it has few.
    async read(filter) {
      const anomalies = (await account.store.anomalies.list(account.name))
        .filter((anomaly) => fits(anomaly, filter))
        .toSorted((one, other) => other.lastAt.getTime() - one.lastAt.getTime());
      const subjects = await subjectsOf(visit, anomalies);
      return { items: anomalies.map((anomaly) => ({ anomaly, subjects })), next: null };
    },
    table: (items) => anomaliesTable(visit, items),
    none,
    noMatch,
    columns: COLUMNS,
  };
}

function fieldsOf(visit: Visit): ListField<AnomalyFilter>[] {
  const { search } = visit.words.anomalies;
  const { choice, time } = fieldsFor<AnomalyFilter>(visit);
  const choices = SUBJECTS.map((value) => ({ value, label: search.subjects[value] }));
  return [
    choice({ name: 'about', label: search.about }, choices, (filter, value) => {
      filter.about = value as Subject;
    }),
    time({ name: 'from', label: search.from }, 'from'),
    time({ name: 'to', label: search.to }, 'to'),
  ];
}

function fits({ what, lastAt }: Anomaly, { about, from, to }: AnomalyFilter): boolean {
  return (
    (about === undefined || about === (anomalySubject(what) ?? 'other')) &&
    (from === undefined || lastAt >= from) &&
    (to === undefined || lastAt < to)
  );
}

function subjectsOf({ account }: Visit, anomalies: readonly Anomaly[]): Promise<Subjects> {
  const examplesOf = (kind: ReturnType<typeof anomalySubject>): string[] =>
    anomalies.filter(({ what }) => anomalySubject(what) === kind).map(({ example: id }) => id);
  return Subjects.read(account, examplesOf('operation'), examplesOf('transaction'));
}

const COLUMNS: readonly CsvColumn<ListedAnomaly>[] = [
  { name: 'anomaly', cell: ({ anomaly }) => maskPhones(anomaly.what) },
  { name: 'count', isNumber: true, cell: ({ anomaly }) => anomaly.count },
  { name: 'lastAt', cell: ({ anomaly }) => anomaly.lastAt.toISOString() },
  { name: 'about', cell: ({ anomaly }) => anomalySubject(anomaly.what) },
  { name: 'example', cell: ({ anomaly }) => maskPhones(anomaly.example) },
  { name: 'orderNumber', cell: orderNumber },
];

/** Of the operation that is the example. */
function orderNumber({ anomaly, subjects }: ListedAnomaly): string {
  if (anomalySubject(anomaly.what) !== 'operation') return '';
  const operation = subjects.operation(anomaly.example);
  return operation === null ? '' : orderNumberOf(operation);
}
