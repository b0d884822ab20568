import { formatMoney, html } from '@tillkit/pages';
import type { PaymentLink } from '../payment-links/payment-link.record.js';
import type { SimulatedPlatform } from '../simulated-platform.model.js';
import { button, field } from './elements.fragment.js';
import type { Page } from './frame.page.js';

const CLOSED: Readonly<Record<Exclude<PaymentLink['state'], 'active'>, string>> = {
  pending: 'The platform is still making this link. Load the page again.',
  paid: 'This link is paid. It can be paid only once.',
  cancelled: 'The merchant has cancelled this link.',
  expired: 'This link has expired: it was open for 7 days.',
};

/** Returns the page on which a customer pays a link. */
export function linkPage(simulator: SimulatedPlatform, id: string): Page {
  const link = simulator.links().find(({ linkId }) => linkId === id);
  const title = 'Payment link';
  if (!link) {
    const body = html`<h1>${title}</h1>
      <p class="problem" role="alert">There is no such payment link.</p>`;
    return { status: 404, title, body };
  }
  const { currency, amount, tillNumber, note, state } = link;
  const phone = html`name="phoneNumber" type="tel" placeholder="+254700000001" required`;
  return {
    title,
    body: html`<div class="panel">
      <h1>Pay ${currency} ${formatMoney(String(amount), currency)}</h1>
      <p>to till ${tillNumber}${note !== null && html`: ${note}`}</p>
      <div id="state" data-live>
        ${
          state === 'active'
            ? html`<form class="fields" autocomplete="off">
                ${field({ id: 'link-phone', label: 'Your phone number', attributes: phone })}
                ${button('Pay', {
                  call: `POST /links/${encodeURIComponent(id)}/pay`,
                  says: 'Paid: reference {reference}.',
                  isMain: true,
                })}
              </form>`
            : html`<p>${CLOSED[state]}</p>`
        }
      </div>
      <p class="status" id="status" role="status"></p>
    </div>`,
  };
}
