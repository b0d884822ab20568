import type { Goods } from '../goods/goods-catalogue.js';
import { PRACTICE_PHONES } from '../practice/practice-phones.js';
import type { ShopSettings } from '../shop.settings.js';
import { formatAmount } from '../web/formats.js';
import { html, type Html } from '@tillkit/pages';
import { page } from '../web/page-layout.js';
import type { CheckoutProblems } from './checkout.form.js';
import { formField, phoneField } from './form-field.js';

export interface Checkout {
  readonly goods: Goods;
  /** A random value in the form. With it, a form that is sent twice creates one order. */
  readonly ticket: string;
  readonly name: string;
  readonly phone: string;
  readonly problems: CheckoutProblems;
}

/** Returns the page of one article with the payment form. */
export function checkoutPage(checkout: Checkout, settings: ShopSettings): string {
  const { goods, problems } = checkout;
  const isWrong = Boolean(problems.name ?? problems.phone);
  const body = html`<p><a href="/">← All goods</a></p>
    <div class="columns">
      <section>
        <img class="large" src="/pictures/${goods.id}.svg" alt="" width="240" height="200" />
        <h1>${goods.name}</h1>
        <p class="soft">${goods.text}</p>
        <p class="price">${formatAmount(goods.price)}</p>
      </section>
      <section class="panel">
        <h2>Pay with your phone</h2>
        ${form(checkout)} ${settings.practice && practicePhones(goods)}
      </section>
    </div>`;
  const title = isWrong ? `Please correct · ${goods.name}` : goods.name;
  return page({ title, menu: 'shop', body }, settings);
}

function form({ goods, ticket, name, phone, problems }: Checkout): Html {
  return html`<form id="checkout" method="post" action="/orders" novalidate>
    <input type="hidden" name="goods" value="${goods.id}" />
    <input type="hidden" name="ticket" value="${ticket}" />
    ${formField({
      name: 'name',
      label: 'Your name',
      hint: 'For the receipt.',
      autocomplete: 'name',
      value: name,
      problem: problems.name,
    })}
    ${phoneField(phone, problems.phone)}
    <button class="button" type="submit">Pay ${formatAmount(goods.price)}</button>
    <p class="soft">Your phone will ask for your PIN. We never see it.</p>
  </form>`;
}

/** Each button loads the page again with this phone. It belongs to the form, so that the name stays. */
function practicePhones(goods: Goods): Html {
  return html`<h3>Practice phones</h3>
    <p class="soft">The last two digits decide what the customer does.</p>
    <ul class="phones">
      ${PRACTICE_PHONES.map(
        ({ number, summary }) =>
          html`<li>
            <button
              class="link"
              form="checkout"
              formmethod="get"
              formaction="/goods/${goods.id}"
              name="practice"
              value="${number}"
            >
              ${number}
            </button>
            ${summary}
          </li>`,
      )}
    </ul>`;
}
