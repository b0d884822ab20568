import { Injectable } from '@nestjs/common';
import type { DeliveryRecord } from '@tillkit/payments';
import { html, type Html } from '../html/html.template.js';
import { facts } from '../html/list.fragment.js';
import { maskPhones } from '../html/phone.mask.js';
import { state } from '../html/state.fragment.js';
import { listing, text } from '../html/text.fragment.js';
import { TimeFormat } from '../html/time.format.js';
import { DashboardAccount } from '../start/dashboard.account.js';
import { page, redirect, type Answer } from '../web/answer.js';
import { notFound } from '../web/dashboard.problem.js';
import { isId } from '../web/list.input.js';
import { LookupsLog } from '../web/lookups.log.js';
import type { Visit } from '../web/visit.js';
import { whatOf } from './deliveries.page.js';
import { readableBody } from './delivery.body.js';

const MAX_SHOWN = 50_000;

/** One delivery: what came, what became of it, and its replay. */
@Injectable()
export class DeliveryPage {
  constructor(
    private readonly account: DashboardAccount,
    private readonly times: TimeFormat,
    private readonly lookups: LookupsLog,
  ) {}

  async show(visit: Visit, id: string): Promise<Answer> {
    return this.pageOf(visit, await this.delivery(id), false);
  }

  /** The body as it came, with the phone numbers that may be in it. */
  async reveal(visit: Visit, id: string): Promise<Answer> {
    const delivery = await this.delivery(id);
    this.lookups.revealed(visit, `whoever delivery ${delivery.id} is about`);
    return this.pageOf(visit, delivery, true);
  }

  async replay(visit: Visit, id: string): Promise<Answer> {
    if (!isId(id) || !(await this.account.inbox.replay(id))) throw notFound('delivery');
    this.lookups.changed(visit, `had delivery ${id} read again`);
    const to = visit.link(`deliveries/${encodeURIComponent(id)}`, { notice: 'delivery-replayed' });
    return redirect(to);
  }

  private async delivery(id: string): Promise<DeliveryRecord> {
    const delivery = isId(id) ? await this.account.inbox.find(id) : null;
    if (!delivery) throw notFound('delivery');
    return delivery;
  }

  private pageOf(visit: Visit, delivery: DeliveryRecord, isRevealed: boolean): Answer {
    const { id, body } = delivery;
    const path = `deliveries/${encodeURIComponent(id)}`;
    const shown = readableBody(body);
    const content = html`<p class="crumb"><a href="${visit.link('deliveries')}">Inbox</a></p>
      <div class="title">
        <h1>${delivery.kind === 'webhook' ? 'Webhook' : 'Callback'}</h1>
        ${state(delivery.state)}
      </div>
      ${this.details(visit, delivery)}
      <div class="actions">
        ${
          delivery.state !== 'pending' &&
          html`<form method="post" action="${visit.link(`${path}/replay`)}">
            <button>Read it again</button>
          </form>`
        }
        ${
          !isRevealed &&
          html`<form method="post" action="${visit.link(`${path}/body`)}">
            <button class="quiet">Show the phone numbers in it</button>
          </form>`
        }
      </div>
      <section aria-labelledby="body">
        <h2 id="body">What came</h2>
        ${
          body.length === 0
            ? html`<p class="soft">Nothing: it was empty, or is forgotten by now.</p>`
            : listing(isRevealed ? shown : maskPhones(shown), MAX_SHOWN)
        }
      </section>`;
    return page('deliveries', `Delivery ${id}`, content);
  }

  private details(visit: Visit, delivery: DeliveryRecord): Html {
    return facts([
      ['What', whatOf(visit, delivery)],
      ['Received', this.times.show(delivery.receivedAt)],
      ['Id', html`<span class="mono">${delivery.id}</span>`],
      [
        'Vouched for by',
        delivery.verifiedBy === 'signature' ? 'its signature' : 'the address it was posted to',
      ],
      ['Size', `${delivery.body.length.toLocaleString('en')} bytes`],
      ['Attempts to read it', String(delivery.attempts)],
      ['Came again', `${delivery.redeliveries} times`],
      delivery.lastError ? ['Last error', text(maskPhones(delivery.lastError), 600)] : null,
    ]);
  }
}
