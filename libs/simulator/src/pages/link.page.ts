import { formatMoney, html, type Html } from '@tillkit/pages';
import type { PaymentLink } from '../payment-links/payment-links.store.js';
import type { SimulatedPlatform } from '../simulated-platform.model.js';
import type { Page } from './frame.page.js';

const CLOSED: Readonly<Record<Exclude<PaymentLink['state'], 'active'>, string>> = {
  pending: 'The platform is still making this link. Load the page again.',
  paid: 'This link is paid. It can be paid only once.',
  cancelled: 'The merchant has cancelled this link.',
  expired: 'This link has expired: it was open for 7 days.',
};

/** The page on which a customer pays a link. */
export function linkPage(simulator: SimulatedPlatform, id: string): Page {
  const link = simulator.links().find(({ linkId }) => linkId === id);
  if (!link) {
    return {
      status: 404,
      title: 'Payment link',
      menu: '/handsets',
      body: html`<h1>Payment link</h1>
        <p class="problem-note section" role="alert">There is no such payment link.</p>`,
    };
  }
  return {
    title: 'Payment link',
    menu: '/handsets',
    script: 'link.js',
    body: html`<div class="panel pay">
      <h1>Pay ${link.currency} ${formatMoney(String(link.amount), link.currency)}</h1>
      <p class="lead">to till ${link.tillNumber}${link.note !== null && html`: ${link.note}`}</p>
      ${link.state === 'active' ? payForm(link) : html`<p>${CLOSED[link.state]}</p>`}
      <p class="status" id="status" role="status"></p>
    </div>`,
  };
}

function payForm({ linkId }: PaymentLink): Html {
  return html`<form class="picker" id="link-form" data-link="${linkId}" autocomplete="off">
    <p class="field">
      <label for="link-phone">Your phone number</label>
      <input id="link-phone" name="phoneNumber" type="tel" placeholder="+254700000001" required />
    </p>
    <button class="button" type="submit">Pay</button>
  </form>`;
}
