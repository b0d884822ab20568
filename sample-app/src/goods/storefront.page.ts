import type { ShopSettings } from '../shop.settings.js';
import { formatAmount } from '../web/formats.js';
import { html, type Html } from '@tillkit/pages';
import { page } from '../web/page-layout.js';
import { GOODS, type Goods } from './goods-catalogue.js';

/** Returns the start page: the goods, and links to the other pages. */
export function storefrontPage(settings: ShopSettings): string {
  const body = html`<h1>Pick it here. Pay on your phone.</h1>
    <p class="lead">Choose something, type a phone number, and enter your PIN on the phone.</p>
    <ul class="cards">
      ${GOODS.map(card)}
    </ul>
    <h2>Behind the counter</h2>
    <ul class="cards">
      ${link('/till', 'The till', 'Every payment the till received, as it arrives.')}
      ${settings.practice && practiceLinks(settings.practice.url)}
    </ul>`;
  return page({ title: 'Shop', menu: 'shop', body }, settings);
}

function card({ id, name, text, price }: Goods): Html {
  return html`<li class="card">
    <img src="/pictures/${id}.svg" alt="" width="240" height="200" />
    <h2><a href="/goods/${id}">${name}</a></h2>
    <p class="price">${formatAmount(price)}</p>
    <p class="soft">${text}</p>
  </li>`;
}

function practiceLinks(platformUrl: string): Html {
  return html`${link('/suppliers', 'The suppliers', 'Pay a supplier from the till, once.')}
  ${link(
    '/dashboard',
    'The dashboard',
    'What operators see: each payment with its timeline, deliveries, dead letters and charts.',
  )}
  ${link(
    `${platformUrl}/`,
    'The simulated platform',
    'The customers’ phones: enter the PIN, cancel, or do not answer. Lose, delay or forge a delivery, and see what happens.',
  )}`;
}

function link(href: string, title: string, text: string): Html {
  return html`<li class="card">
    <h3><a href="${href}">${title}</a></h3>
    <p class="soft">${text}</p>
  </li>`;
}
