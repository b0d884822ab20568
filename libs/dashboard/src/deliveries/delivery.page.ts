import { Injectable } from '@nestjs/common';
import { DeliveriesService } from '@tillkit/payments';
import type { DeliveryRecord } from '@tillkit/payments/types';
import { html, type Html } from '@tillkit/pages';
import { readOnly } from '../actions/read-only.fragment.js';
import { buttonForm } from '../actions/form.fragment.js';
import { facts } from '../html/list.fragment.js';
import { serviceOf } from '../operations/operation-kinds.js';
import { state } from '../html/state.fragment.js';
import { count } from '../html/number.format.js';
import { payload } from '../html/payload.fragment.js';
import { masked } from '../html/text.fragment.js';
import { page, redirect, type Answer } from '../web/answer.dto.js';
import { notFound } from '../web/page.errors.js';
import { isId } from '../web/list.dto.js';
import { AuditLogService } from '../web/audit-log.service.js';
import type { Visit } from '../web/visit.dto.js';
import { kindOf } from './deliveries.definition.js';
import { formatOf, readableBody } from './delivery-body.format.js';
import { contentOf } from './delivery-content.fragment.js';
import { WORDS } from '../words/english.words.js';

/** One delivery: its body, its processing, and the button that reprocesses it. */
@Injectable()
export class DeliveryPage {
  constructor(private readonly audit: AuditLogService) {}

  async show(visit: Visit, id: string): Promise<Answer> {
    return this.pageOf(visit, await deliveryOf(visit, id), false);
  }

  /** Shows the body with its phone numbers. */
  async reveal(visit: Visit, id: string): Promise<Answer> {
    const delivery = await deliveryOf(visit, id);
    this.audit.revealed(visit, `the customer in delivery ${delivery.id}`);
    return this.pageOf(visit, delivery, true);
  }

  async replay(visit: Visit, id: string): Promise<Answer> {
    if (!isId(id) || !(await visit.account.get(DeliveriesService).replay(id)))
      throw notFound('delivery');
    this.audit.changed(visit, `reprocessed delivery ${id}`);
    await noteReprocessed(visit, id);
    const to = visit.link(`deliveries/${encodeURIComponent(id)}`, { notice: 'delivery-replayed' });
    return redirect(to);
  }

  private pageOf(visit: Visit, delivery: DeliveryRecord, isRevealed: boolean): Answer {
    const { id, body } = delivery;
    const { delivery: name } = WORDS;
    const path = `deliveries/${encodeURIComponent(id)}`;
    const content = html`<p class="crumb">
        <a href="${visit.link('deliveries')}">${WORDS.deliveries.title}</a>
      </p>
      <div class="title">
        <h1>${name[delivery.kind]}</h1>
        ${state(delivery.state)}
      </div>
      <div class="columns columns--even">
        <section aria-labelledby="details">
          <h2 id="details">${WORDS.common.details}</h2>
          ${this.details(visit, delivery)}
        </section>
        ${contentOf(visit, delivery)}
      </div>
      <div class="actions">
        ${
          delivery.state !== 'pending' &&
          visit.mayAct &&
          buttonForm(visit, {
            action: visit.link(`${path}/replay`),
            button: {
              label: name.reprocess,
              ...(delivery.state === 'done' && { look: 'quiet' }),
            },
          })
        }
        ${
          !isRevealed &&
          buttonForm(visit, {
            action: visit.link(`${path}/body`),
            button: { label: name.showNumbers, look: 'quiet' },
          })
        }
      </div>
      ${delivery.state === 'unrecognised' && !visit.mayAct && readOnly()}
      <section aria-labelledby="body">
        <h2 id="body">${name.body}</h2>
        ${
          body.length === 0
            ? html`<p class="soft">${name.noBody}</p>`
            : payload({
                about: WORDS.payload.about(WORDS.payload[formatOf(body)], name.bytes(body.length)),
                text: readableBody(body, isRevealed),
                isRevealed,
              })
        }
      </section>`;
    return page('deliveries', name.title(id), content);
  }

  private details(visit: Visit, delivery: DeliveryRecord): Html {
    const { delivery: name } = WORDS;
    return facts([
      [name.kind, kindOf(visit, delivery)],
      [name.received, visit.times.show(delivery.receivedAt)],
      [name.id, html`<span class="mono">${delivery.id}</span>`],
      [name.verification, name.verifiedBy[delivery.verifiedBy]],
      [name.attempts, count(delivery.attempts)],
      [name.duplicates, count(delivery.duplicates)],
      delivery.lastError ? [name.lastError, masked(delivery.lastError, 600)] : null,
    ]);
  }
}

async function deliveryOf({ account }: Visit, id: string): Promise<DeliveryRecord> {
  const delivery = isId(id) ? await account.get(DeliveriesService).find(id) : null;
  if (!delivery) throw notFound('delivery');
  return delivery;
}

/** Writes a note into the history of the operation whose result the callback contains. */
async function noteReprocessed(visit: Visit, id: string): Promise<void> {
  const { account, operator: by } = visit;
  const delivery = await account.store.deliveries.find(account.name, id);
  const about = delivery?.resourceId;
  const operation = about ? await account.store.operations.find(account.name, about) : null;
  if (!operation) return;
  const note = WORDS.delivery.reprocessedNote(id);
  await serviceOf(account, operation).note(operation.id, { by, note });
}
