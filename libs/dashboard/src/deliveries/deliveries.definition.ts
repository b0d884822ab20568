import { maskPhones } from '@tillkit/payments/internal/routes';
import type {
  DeliveryFilter,
  DeliveryState,
  DeliverySummary,
} from '@tillkit/payments/internal/store';
import { html, type Html } from '@tillkit/pages';
import type { CsvColumn } from '../csv/csv.format.js';
import { rowLink, table } from '../html/list.fragment.js';
import { state } from '../html/state.fragment.js';
import { masked, text } from '../html/text.fragment.js';
import type { ListDefinition } from '../lists/list.definition.js';
import { fieldsFor } from '../lists/list-fields.js';
import type { Visit } from '../web/visit.dto.js';
import { WORDS } from '../words/english.words.js';

const STATES: readonly DeliveryState[] = ['pending', 'unrecognised', 'done'];

/** Returns the list of verified deliveries. The library does not store a delivery that fails verification. */
export function deliveriesList(visit: Visit): ListDefinition<DeliveryFilter, DeliverySummary> {
  const { account } = visit;
  const { deliveries } = WORDS;
  const { time } = fieldsFor<DeliveryFilter>(visit);
  return {
    section: 'deliveries',
    path: 'deliveries',
    title: deliveries.title,
    intro: deliveries.intro,
    states: STATES.map((value) => ({ value, label: deliveries.tabs[value] })),
    filter: {},
    applyStates: (filter, [wanted]) => {
      filter.state = wanted as DeliveryState;
    },
    fields: [
      time({ name: 'from', label: deliveries.search.from }, 'from'),
      time({ name: 'to', label: deliveries.search.to }, 'to'),
    ],
    read: (filter, page) => account.store.deliveries.list(account.name, filter, page),
    table: (items) => deliveriesTable(visit, items),
    none: deliveries.none,
    noMatch: deliveries.noMatch,
    columns: COLUMNS,
  };
}

function deliveriesTable(visit: Visit, deliveries: readonly DeliverySummary[]): Html {
  const { table: caption, columns } = WORDS.deliveries;
  return table(
    caption,
    [
      { name: WORDS.common.state },
      { name: columns.received },
      { name: columns.kind },
      { name: columns.attempts, isNumber: true },
      { name: columns.duplicates, isNumber: true },
      { name: columns.lastError },
    ],
    deliveries.map((delivery) => [
      state(delivery.state),
      rowLink(
        visit.link(`deliveries/${encodeURIComponent(delivery.id)}`),
        visit.times.show(delivery.receivedAt),
      ),
      kindOf(visit, delivery),
      delivery.attempts,
      delivery.duplicates,
      delivery.lastError && masked(delivery.lastError, 120),
    ]),
  );
}

const COLUMNS: readonly CsvColumn<DeliverySummary>[] = [
  { name: 'id', cell: ({ id }) => id },
  { name: 'state', cell: ({ state: is }) => is },
  { name: 'receivedAt', cell: ({ receivedAt }) => receivedAt.toISOString() },
  { name: 'kind', cell: ({ kind }) => kind },
  { name: 'resource', cell: ({ resource }) => resource },
  { name: 'resourceId', cell: ({ resourceId }) => resourceId },
  { name: 'verifiedBy', cell: ({ verifiedBy }) => verifiedBy },
  { name: 'bytes', isNumber: true, cell: ({ bytes }) => bytes },
  { name: 'attempts', isNumber: true, cell: ({ attempts }) => attempts },
  { name: 'duplicates', isNumber: true, cell: ({ duplicates }) => duplicates },
  { name: 'lastError', cell: ({ lastError }) => maskPhones(lastError ?? '') },
];

/** Returns the kind of a delivery. For a callback also its resource, with a link for a payment. */
export function kindOf(
  visit: Visit,
  { kind, resource, resourceId }: Pick<DeliverySummary, 'kind' | 'resource' | 'resourceId'>,
): Html {
  const { deliveries } = WORDS;
  if (kind === 'webhook' || !resource || !resourceId) return html`<span>${deliveries[kind]}</span>`;
  const name = html`<span class="mono">${text(resourceId, 40)}</span>`;
  return resource === 'incoming-payments'
    ? deliveries.callbackOfPayment(
        html`<a href="${visit.link(`payments/${encodeURIComponent(resourceId)}`)}">${name}</a>`,
      )
    : deliveries.callbackOf(text(resource, 40), name);
}
