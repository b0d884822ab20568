import type { OperationRecord } from '@tillkit/payments/internal/store';
import { html, type Html } from '@tillkit/pages';
import { state } from '../html/state.fragment.js';
import { pathOf } from '../operations/operation-kinds.js';
import type { LinkQuery, Visit } from '../web/visit.dto.js';
import { WORDS } from '../words/english.words.js';

/** A page shows this many refunds of one transaction. One can succeed; the others are attempts that failed. */
const MOST_SHOWN = 10;

/** Returns the refunds of a transaction, newest first; null when there is none. */
export async function refundsOf(visit: Visit, reference: string | null): Promise<Html | null> {
  if (!reference) return null;
  const { store, name } = visit.account;
  const filter = { kind: 'refund', refundOf: reference };
  const { items } = await store.operations.list(name, filter, { limit: MOST_SHOWN });
  if (items.length === 0) return null;
  const { times } = visit;
  const shown = (refund: OperationRecord): Html =>
    html`<li>
      ${state(refund.state)}
      <a href="${visit.link(pathOf(refund))}">${times.show(refund.createdAt)}</a>
    </li>`;
  return html`<h3>${WORDS.refunds.title}</h3>
    <ul class="plain">
      ${items.map(shown)}
    </ul>`;
}

/** Returns the link to the form of a refund; null in a dashboard that lets nobody act. */
export function refundLink(visit: Visit, fields: LinkQuery): Html | null {
  if (!visit.mayAct) return null;
  const link = visit.link('refunds/new', fields);
  return html`<a class="button" href="${link}">Refund</a>`;
}
