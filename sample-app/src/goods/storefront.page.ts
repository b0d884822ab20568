import { formatAmount } from '../web/amount.format.js';
import { html, type Html } from '../web/html.template.js';
import type { Place } from '../web/places.catalogue.js';
import { GOODS, type Goods } from './goods.catalogue.js';

/** The start page: the goods, and everything else there is to see. */
export function storefrontPage(places: readonly Place[]): Html {
  return html`<section class="hero">
      <h1>Pick it here.<br />Pay on your phone.</h1>
      <p>Choose something, give us a phone number, and enter your PIN when the phone asks.</p>
    </section>
    <section aria-labelledby="goods">
      <h2 id="goods" class="visually-hidden">Goods</h2>
      <ul class="goods">
        ${GOODS.map(card)}
      </ul>
    </section>
    <section class="behind" aria-labelledby="behind">
      <h2 id="behind">Behind the counter</h2>
      <ul class="places">
        ${places.map(
          ({ href, title, text }) =>
            html`<li>
              <a class="place" href="${href}"><strong>${title}</strong><span>${text}</span></a>
            </li>`,
        )}
      </ul>
    </section>`;
}

function card({ id, name, text, price, picture }: Goods): Html {
  return html`<li class="card">
    <div class="tile tile--${id}">${picture}</div>
    <div class="card__words">
      <h3><a href="/goods/${id}">${name}</a></h3>
      <p>${text}</p>
      <p class="price">${formatAmount(price)}</p>
    </div>
  </li>`;
}
