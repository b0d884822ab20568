import { maskPhones } from '@tillkit/payments/routes';
import { Injectable } from '@nestjs/common';
import type { DeliveryState, DeliverySummary } from '@tillkit/payments/store';
import { PAGE_SIZE } from '../dashboard.constants.js';
import { html, type Html } from '@tillkit/pages';
import { empty, pager, table } from '../html/list.fragment.js';
import { state } from '../html/state.fragment.js';
import { text } from '../html/text.fragment.js';
import { page, type Answer } from '../web/answer.dto.js';
import { PageError } from '../web/page.errors.js';
import { readCursor } from '../web/list.dto.js';
import type { Visit } from '../web/visit.dto.js';

const TABS: readonly (DeliveryState | 'all')[] = ['all', 'pending', 'unrecognised', 'done'];

/** The list of verified deliveries. The library does not store a delivery that fails verification. */
@Injectable()
export class DeliveriesPage {
  async list(visit: Visit): Promise<Answer> {
    const only = stateOf(visit.parameter('state'));
    const cursor = readCursor(visit.parameter('after'));
    const { items, next } = await visit.account.store.deliveries.list(
      visit.account.name,
      only ? { state: only } : {},
      { limit: PAGE_SIZE, ...cursor },
    );
    const link = (more: object): string => visit.link('deliveries', { state: only, ...more });
    const { deliveries } = visit.words;
    const body = html`<h1>${deliveries.title}</h1>
      <p class="soft">${deliveries.intro}</p>
      <nav class="tabs" aria-label="${deliveries.states}">
        ${TABS.map(
          (tab) =>
            html`<a
              href="${visit.link('deliveries', { state: tab === 'all' ? undefined : tab })}"
              ${tab === (only ?? 'all') && html`aria-current="true"`}
              >${deliveries.tabs[tab]}</a
            >`,
        )}
      </nav>
      ${items.length > 0 && this.table(visit, items)}
      ${items.length === 0 && empty(deliveries.none)}
      ${pager(visit.words, cursor.after === undefined ? null : link({}), next === null ? null : link({ after: next }))}`;
    return page('deliveries', deliveries.title, body);
  }

  private table(visit: Visit, deliveries: readonly DeliverySummary[]): Html {
    const { words } = visit;
    const { table: caption, columns } = words.deliveries;
    const rows = deliveries.map((delivery) => [
      state(words, delivery.state),
      html`<a href="${visit.link(`deliveries/${encodeURIComponent(delivery.id)}`)}"
        >${visit.times.show(delivery.receivedAt)}</a
      >`,
      kindOf(visit, delivery),
      delivery.attempts,
      delivery.duplicates,
      text(maskPhones(delivery.lastError ?? ''), 120),
    ]);
    return table(
      caption,
      [
        { name: words.common.state },
        { name: columns.received },
        { name: columns.kind },
        { name: columns.attempts, isNumber: true },
        { name: columns.duplicates, isNumber: true },
        { name: columns.lastError },
      ],
      rows,
    );
  }
}

/** The kind of a delivery. For a callback also its resource, with a link for a payment. */
export function kindOf(
  visit: Visit,
  { kind, resource, resourceId }: Pick<DeliverySummary, 'kind' | 'resource' | 'resourceId'>,
): Html {
  const { deliveries } = visit.words;
  if (kind === 'webhook' || !resource || !resourceId) return html`<span>${deliveries[kind]}</span>`;
  const name = html`<span class="mono">${text(resourceId, 40)}</span>`;
  return resource === 'incoming-payments'
    ? deliveries.callbackOfPayment(
        html`<a href="${visit.link(`payments/${encodeURIComponent(resourceId)}`)}">${name}</a>`,
      )
    : deliveries.callbackOf(text(resource, 40), name);
}

function stateOf(parameter: string | undefined): DeliveryState | undefined {
  if (parameter === undefined) return undefined;
  const known = TABS.find((tab) => tab === parameter);
  if (known !== undefined && known !== 'all') return known;
  throw new PageError(400, ({ errors }) => errors.deliveryState);
}
