import { Injectable } from '@nestjs/common';
import type { DeliveryState, DeliverySummary } from '@tillkit/payments/store';
import { PAGE_SIZE } from '../dashboard.constants.js';
import { html, type Html } from '../html/html.template.js';
import { empty, pager, table } from '../html/list.fragment.js';
import { maskPhones } from '../html/phone.mask.js';
import { state } from '../html/state.fragment.js';
import { text } from '../html/text.fragment.js';
import { TimeFormat } from '../html/time.format.js';
import { DashboardAccount } from '../start/dashboard.account.js';
import { page, type Answer } from '../web/answer.js';
import { DashboardProblem } from '../web/dashboard.problem.js';
import { readCursor } from '../web/list.input.js';
import type { Visit } from '../web/visit.js';

const COLUMNS = [
  { name: 'State' },
  { name: 'Received' },
  { name: 'What' },
  { name: 'Attempts', isNumber: true },
  { name: 'Came again', isNumber: true },
  { name: 'Last error' },
] as const;

const TABS: readonly { state: DeliveryState | undefined; name: string }[] = [
  { state: undefined, name: 'All' },
  { state: 'pending', name: 'Waiting' },
  { state: 'unrecognised', name: 'Unrecognised' },
  { state: 'done', name: 'Done' },
];

/** What the platform posted to us and was verified. What was not verified is in no list: it was never kept. */
@Injectable()
export class DeliveriesPage {
  constructor(
    private readonly account: DashboardAccount,
    private readonly times: TimeFormat,
  ) {}

  async list(visit: Visit): Promise<Answer> {
    const only = stateOf(visit.asked('state'));
    const cursor = readCursor(visit.asked('after'));
    const { items, next } = await this.account.store.listDeliveries(
      this.account.name,
      only ? { state: only } : {},
      { limit: PAGE_SIZE, ...cursor },
    );
    const link = (more: object): string => visit.link('deliveries', { state: only, ...more });
    const body = html`<h1>Inbox</h1>
      <p class="soft">
        Deliveries of the platform, newest first. Forged ones are refused at the door and never come
        here.
      </p>
      <nav class="tabs" aria-label="Which deliveries">
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
      ${items.length === 0 && empty('There is none.')}
      ${pager(cursor.after === undefined ? null : link({}), next === null ? null : link({ after: next }))}`;
    return page('deliveries', 'Inbox', body);
  }

  private table(visit: Visit, deliveries: readonly DeliverySummary[]): Html {
    const rows = deliveries.map((delivery) => [
      state(delivery.state),
      html`<a href="${visit.link(`deliveries/${encodeURIComponent(delivery.id)}`)}"
        >${this.times.show(delivery.receivedAt)}</a
      >`,
      whatOf(visit, delivery),
      delivery.attempts,
      delivery.redeliveries,
      text(maskPhones(delivery.lastError ?? ''), 120),
    ]);
    return table('Deliveries, newest first', COLUMNS, rows);
  }
}

/** A callback names what it is the result of; one of a payment leads to it. */
export function whatOf(
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

function stateOf(asked: string | undefined): DeliveryState | undefined {
  if (asked === undefined) return undefined;
  const known = TABS.find(({ state: one }) => one === asked)?.state;
  if (known) return known;
  throw new DashboardProblem(
    400,
    'There is no such list',
    'Deliveries are waiting, unrecognised or done.',
  );
}
