import { Injectable } from '@nestjs/common';
import type { Goods } from '../goods/goods.catalogue.js';
import { ShopSetup } from '../shop.setup.js';
import { formatAmount } from '../web/amount.format.js';
import { html, type Html } from '../web/html.template.js';
import { PageLayout, pageTitle } from '../web/page.layout.js';
import type { CheckoutProblems, CheckoutValues } from './checkout.form.js';
import { phoneField, textField } from './form.fields.js';
import { practicePhones } from '../practice/practice-phones.panel.js';

export interface Checkout {
  readonly goods: Goods;
  /** Comes back with the form: what makes a form sent twice one order. */
  readonly ticket: string;
  readonly values: CheckoutValues;
  readonly problems: CheckoutProblems;
}

/** The goods, and the form to pay for them. */
@Injectable()
export class CheckoutPage {
  constructor(
    private readonly layout: PageLayout,
    private readonly setup: ShopSetup,
  ) {}

  render(checkout: Checkout): string {
    const { goods, problems } = checkout;
    const isWrong = Object.keys(problems).length > 0;
    return this.layout.render({
      title: pageTitle(isWrong ? `Please correct · ${goods.name}` : goods.name),
      place: 'shop',
      body: html`<p class="crumb"><a href="/">← All goods</a></p>
        <div class="checkout">
          <section class="checkout__goods">
            <div class="tile tile--large tile--${goods.id}">${goods.picture}</div>
            <h1>${goods.name}</h1>
            <p class="soft">${goods.text}</p>
            <p class="price price--large">${formatAmount(goods.price)}</p>
          </section>
          <section class="checkout__pay" aria-labelledby="pay">
            <h2 id="pay">Pay with your phone</h2>
            ${form(checkout)}
            ${this.setup.practice && practicePhones(this.setup.practice, `/goods/${goods.id}`)}
          </section>
        </div>`,
    });
  }
}

function form({ goods, ticket, values, problems }: Checkout): Html {
  return html`<form class="form" method="post" action="/orders" novalidate data-once>
    <input type="hidden" name="goods" value="${goods.id}" />
    <input type="hidden" name="ticket" value="${ticket}" />
    ${textField({
      name: 'name',
      label: 'Your name',
      autocomplete: 'name',
      value: values.name,
      problem: problems.name,
      focus: Boolean(problems.name),
    })}
    ${phoneField({ value: values.phone, problem: problems.phone, focus: !problems.name && Boolean(problems.phone) })}
    <button class="button" type="submit">Pay ${formatAmount(goods.price)}</button>
    <p class="small soft">Your phone will ask for your PIN. We never see it.</p>
  </form>`;
}
