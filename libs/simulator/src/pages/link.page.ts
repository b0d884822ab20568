import { formatMoney, html, type Html } from '@tillkit/pages';
import type { PaymentLink } from '../payment-links/payment-link.record.js';
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
  const title = 'Payment link';
  if (!link) {
    const problem = html`<p class="problem" role="alert">There is no such payment link.</p>`;
    return {
      status: 404,
      title,
      body: html`<h1>${title}</h1>
        ${problem}`,
    };
  }
  const { currency, amount, tillNumber, note, state } = link;
  return {
    title,
    script: 'link.js',
    body: html`<div class="panel">
      <h1>Pay ${currency} ${formatMoney(String(amount), currency)}</h1>
      <p>to till ${tillNumber}${note !== null && html`: ${note}`}</p>
      ${state === 'active' ? payForm(link) : html`<p>${CLOSED[state]}</p>`}
      <p class="status" id="status" role="status"></p>
    </div>`,
  };
}

function payForm({ linkId }: PaymentLink): Html {
  return html`<form class="fields" id="link-form" data-link="${linkId}" autocomplete="off">
    <p class="field">
      <label for="link-phone">Your phone number</label>
      <input id="link-phone" name="phoneNumber" type="tel" placeholder="+254700000001" required />
    </p>
    <button class="button" type="submit">Pay</button>
  </form>`;
}
