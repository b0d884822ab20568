import { html, type Html } from '@tillkit/pages';
import type { SimulatedMerchant } from '../merchants/merchant.model.js';
import type { SimulatedPlatform } from '../simulated-platform.model.js';
import { panel } from './elements.fragment.js';
import { environmentOf } from './environment.format.js';

/** Returns the settings of an application of this merchant, to copy. They contain the secrets of the merchant, which protect no real money. */
export function environmentSection(
  simulator: SimulatedPlatform,
  merchant: SimulatedMerchant | undefined,
): Html {
  if (!merchant) {
    const cure = html`<p>
      Add one with <code>POST /_simulator/merchants</code>, then load the page again.
    </p>`;
    return panel('connect', 'No merchant', cure);
  }
  const { url, redirectUrl, seed, merchants } = simulator;
  const isNamed = merchants.list().length > 1;
  return panel(
    'connect',
    `Settings of your application${isNamed ? ` for ${merchant.name}` : ''}`,
    html`<p class="soft">
        Put this into the <code>.env</code> of your application, start it, and request a payment
        from <code>+254700000014</code>: the prompt appears on that handset. Change
        <code>PAYMENTS_PUBLIC_URL</code> if it listens elsewhere.
      </p>
      <pre class="wire" id="env" tabindex="0" aria-labelledby="connect-title">
${environmentOf(simulator, merchant)}</pre>
      <button class="button button--quiet" id="copy-env" type="button" hidden>Copy</button>
      ${
        url.startsWith('https:') &&
        html`<p class="soft small">
          The simulator has a certificate of its own: start your application with
          <code>NODE_EXTRA_CA_CERTS</code>.
          ${redirectUrl !== null && html`Plain HTTP at <code>${redirectUrl}</code> redirects.`}
        </p>`
      }
      <p class="soft small">
        Tills: ${merchant.tillNumbers.join(', ')}. Seed of the faults: ${seed}.
      </p>`,
  );
}
