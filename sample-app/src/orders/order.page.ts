import { Injectable } from '@nestjs/common';
import type { PracticePhone } from '../practice/practice-phones.table.js';
import { ShopSetup } from '../shop.setup.js';
import { html } from '../web/html.template.js';
import { liveAttributes, type LiveSection } from '../web/live-section.stream.js';
import { PageLayout, pageTitle } from '../web/page.layout.js';
import type { Field } from './form.fields.js';
import { orderNumber } from './order.js';
import { isUnderWay } from './order.stage.js';
import type { OrderView } from './order-views.service.js';
import { orderTicket } from './order.ticket.js';
import { FAILURE_WORDS, STAGE_WORDS } from './order.words.js';

const REFRESH_SECONDS = 3;

/** An order: how its payment goes, then its receipt. */
@Injectable()
export class OrderPage {
  constructor(
    private readonly layout: PageLayout,
    private readonly setup: ShopSetup,
  ) {}

  /** @param phone the field of "try again", when what was typed there is wrong. */
  render(view: OrderView, phone?: Field): string {
    const section = this.section(view, phone);
    // While a field is being corrected the section must stay as it is.
    const live = phone?.problem ? null : liveAttributes(`/orders/${view.order.id}/events`, section);
    return this.layout.render({
      title: section.title,
      refreshSeconds: isUnderWay(view.stage) ? REFRESH_SECONDS : undefined,
      body: html`<p class="visually-hidden" role="status" aria-live="polite" id="news"></p>
        <div class="narrow" ${live}>${section.content}</div>`,
    });
  }

  section(view: OrderView, phone?: Field): LiveSection {
    const { order, stage, payment } = view;
    const words = STAGE_WORDS[stage];
    const text = stage === 'failed' ? FAILURE_WORDS[payment?.reason ?? 'unknown'] : words.text;
    return {
      title: pageTitle(`${words.headline} · Order ${orderNumber(order.id)}`),
      news: `${words.headline} ${text}`,
      content: orderTicket({
        view,
        headline: words.headline,
        text,
        practice: this.practicePhone(view),
        phone,
      }),
    };
  }

  private practicePhone({ payment }: OrderView): PracticePhone | null {
    const last = payment?.subscriber.phoneNumber.slice(-2);
    return this.setup.practice?.phones.find(({ number }) => number.slice(-2) === last) ?? null;
  }
}
