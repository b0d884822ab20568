import { maskPhones } from '@tillkit/payments/internal/routes';
import { anomalySubject } from '@tillkit/payments/internal/store';
import { html } from '@tillkit/pages';
import type { CsvColumn } from '../csv/csv.format.js';
import type { ListDefinition, ListField } from '../lists/list.definition.js';
import { fieldsFor } from '../lists/list-fields.js';
import { orderNumberOf } from '../operations/order-number.format.js';
import { Subjects } from '../subjects/subjects.query.js';
import type { Visit } from '../web/visit.dto.js';
import { anomaliesTable, type ListedAnomaly } from './anomalies-table.fragment.js';
import { WORDS } from '../words/english.words.js';

/** An example of an anomaly is of one of these kinds. */
const SUBJECTS = ['operation', 'transaction', 'delivery', 'other'] as const;

type Subject = (typeof SUBJECTS)[number];

interface AnomalyFilter {
  about?: Subject;
  from?: Date;
  to?: Date;
}

/** Returns the list of anomalies: data of the platform that is unknown, contradictory or suspicious. */
export function anomaliesList(visit: Visit): ListDefinition<AnomalyFilter, ListedAnomaly> {
  const { account } = visit;
  const to = visit.link('deliveries', { state: 'unrecognised' });
  return {
    section: 'anomalies',
    path: 'anomalies',
    title: 'Anomalies',
    intro: html`What the platform sent that is unknown, contradictory or suspicious. It changed no
      payment. Of each kind the last twenty are kept. See also the
      <a href="${to}">unrecognised deliveries</a>. You can reprocess them after an upgrade.`,
    states: [],
    filter: {},
    applyStates: () => undefined,
    fields: fieldsOf(visit),
    // Reads one page. The store keeps twenty examples of each kind.
    async read(filter) {
      const examples = (await account.store.anomalies.list(account.name))
        .flatMap((anomaly) => anomaly.examples.map((example) => ({ ...anomaly, ...example })))
        .filter((example) => fits(example, filter))
        .toSorted((one, other) => other.at.getTime() - one.at.getTime());
      const subjects = await subjectsOf(visit, examples);
      return { items: examples.map((example) => ({ ...example, subjects })), next: null };
    },
    table: (items) => anomaliesTable(visit, items),
    none: 'No anomalies. Everything that the platform sent was understood.',
    noMatch: 'No anomalies match.',
    columns: COLUMNS,
  };
}

function fieldsOf(visit: Visit): ListField<AnomalyFilter>[] {
  const { search } = WORDS.anomalies;
  const { choice, time } = fieldsFor<AnomalyFilter>(visit);
  const choices = SUBJECTS.map((value) => ({ value, label: search.subjects[value] }));
  return [
    choice({ name: 'about', label: 'Example' }, choices, (filter, value) => {
      filter.about = value as Subject;
    }),
    time({ name: 'from', label: 'Seen from' }, 'from'),
    time({ name: 'to', label: 'until before' }, 'to'),
  ];
}

type Listed = Omit<ListedAnomaly, 'subjects'>;

function fits({ kind, at }: Listed, { about, from, to }: AnomalyFilter): boolean {
  return (
    (about === undefined || about === (anomalySubject(kind) ?? 'other')) &&
    (from === undefined || at >= from) &&
    (to === undefined || at < to)
  );
}

function subjectsOf({ account }: Visit, examples: readonly Listed[]): Promise<Subjects> {
  const of = (subject: ReturnType<typeof anomalySubject>): string[] =>
    examples.filter(({ kind }) => anomalySubject(kind) === subject).map(({ example }) => example);
  return Subjects.read(account, of('operation'), of('transaction'));
}

const COLUMNS: readonly CsvColumn<ListedAnomaly>[] = [
  { name: 'anomaly', cell: ({ what }) => maskPhones(what) },
  { name: 'ofItsKind', isNumber: true, cell: ({ count }) => count },
  { name: 'at', cell: ({ at }) => at.toISOString() },
  { name: 'about', cell: ({ kind }) => anomalySubject(kind) },
  { name: 'example', cell: ({ example }) => maskPhones(example) },
  { name: 'orderNumber', cell: orderNumber },
];

/** Returns the order number of the operation that is the example. */
function orderNumber({ kind, example, subjects }: ListedAnomaly): string {
  if (anomalySubject(kind) !== 'operation') return '';
  const operation = subjects.operation(example);
  return operation === null ? '' : orderNumberOf(operation);
}
