import { maskPhones } from '@tillkit/payments/routes';
import { Injectable } from '@nestjs/common';
import type { DeliveryState, DeliverySummary } from '@tillkit/payments/store';
import { PAGE_SIZE } from '../dashboard.constants.js';
import { html, type Html } from '@tillkit/pages';
import { empty, pager, table } from '../html/list.fragment.js';
import { state } from '../html/state.fragment.js';
import { text } from '../html/text.fragment.js';
import { TimeFormat } from '../html/time.format.js';
import { page, type Answer } from '../web/answer.dto.js';
import { PageError } from '../web/page.errors.js';
import { readCursor } from '../web/list.dto.js';
import type { Visit } from '../web/visit.dto.js';

const COLUMNS = [
  { name: 'State' },
  { name: 'Received' },
  { name: 'Kind' },
  { name: 'Attempts', isNumber: true },
  { name: 'Duplicates', isNumber: true },
  { name: 'Last error' },
] as const;

const TABS: readonly { state: DeliveryState | undefined; name: string }[] = [
  { state: undefined, name: 'All' },
  { state: 'pending', name: 'Waiting' },
  { state: 'unrecognised', name: 'Unrecognised' },
  { state: 'done', name: 'Done' },
];

/** The list of verified deliveries. The library does not store a delivery that fails verification. */
@Injectable()
export class DeliveriesPage {
  constructor(private readonly times: TimeFormat) {}

  async list(visit: Visit): Promise<Answer> {
    const only = stateOf(visit.parameter('state'));
    const cursor = readCursor(visit.parameter('after'));
    const { items, next } = await visit.account.store.deliveries.list(
      visit.account.name,
      only ? { state: only } : {},
      { limit: PAGE_SIZE, ...cursor },
    );
    const link = (more: object): string => visit.link('deliveries', { state: only, ...more });
    const body = html`<h1>Deliveries</h1>
      <p class="soft">
        Verified deliveries of the platform, newest first. The library refuses forged deliveries and
        does not store them.
      </p>
      <nav class="tabs" aria-label="State of the deliveries">
        ${TABS.map(
          (tab) =>
            html`<a
              href="${visit.link('deliveries', { state: tab.state })}"
              ${tab.state === only && html`aria-current="true"`}
              >${tab.name}</a
            >`,
        )}
      </nav>
      ${items.length > 0 && this.table(visit, items)}
      ${items.length === 0 && empty('No deliveries.')}
      ${pager(cursor.after === undefined ? null : link({}), next === null ? null : link({ after: next }))}`;
    return page('deliveries', 'Deliveries', body);
  }

  private table(visit: Visit, deliveries: readonly DeliverySummary[]): Html {
    const rows = deliveries.map((delivery) => [
      state(delivery.state),
      html`<a href="${visit.link(`deliveries/${encodeURIComponent(delivery.id)}`)}"
        >${this.times.show(delivery.receivedAt)}</a
      >`,
      kindOf(visit, delivery),
      delivery.attempts,
      delivery.duplicates,
      text(maskPhones(delivery.lastError ?? ''), 120),
    ]);
    return table('Deliveries, newest first', COLUMNS, rows);
  }
}

/** The kind of a delivery. For a callback also its resource, with a link for a payment. */
export function kindOf(
  visit: Visit,
  { kind, resource, resourceId }: Pick<DeliverySummary, 'kind' | 'resource' | 'resourceId'>,
): Html {
  if (kind === 'webhook' || !resource || !resourceId) return html`<span>${kind}</span>`;
  const name = html`<span class="mono">${text(resourceId, 40)}</span>`;
  return resource === 'incoming-payments'
    ? html`callback of payment
        <a href="${visit.link(`payments/${encodeURIComponent(resourceId)}`)}">${name}</a>`
    : html`callback of ${text(resource, 40)} ${name}`;
}

function stateOf(parameter: string | undefined): DeliveryState | undefined {
  if (parameter === undefined) return undefined;
  const known = TABS.find(({ state: one }) => one === parameter)?.state;
  if (known) return known;
  throw new PageError(
    400,
    'There is no such state',
    'The states of deliveries are pending, unrecognised and done.',
  );
}
