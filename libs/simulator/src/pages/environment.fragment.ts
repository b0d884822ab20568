import { html, type Html } from '@tillkit/pages';
import type { SimulatedMerchant } from '../merchants/merchant.model.js';
import type { SimulatedPlatform } from '../simulated-platform.model.js';
import { environmentOf } from './environment.format.js';

/** The settings of an application of this merchant, to copy. They have the secrets of the merchant, which protect no real money. */
export function environmentSection(
  simulator: SimulatedPlatform,
  merchant: SimulatedMerchant | undefined,
): Html {
  if (!merchant) {
    return html`<section class="panel" id="connect" aria-labelledby="env-title">
      <h2 id="env-title">No merchant</h2>
      <p>Add one with <code>POST /_simulator/merchants</code>, then load the page again.</p>
    </section>`;
  }
  const isNamed = simulator.merchants.list().length > 1;
  return html`<section class="panel" id="connect" aria-labelledby="env-title">
    <h2 id="env-title">Settings of your application${isNamed && ` for ${merchant.name}`}</h2>
    <p class="soft">
      Put this into the <code>.env</code> of your application, start it, and request a payment from
      <code>+254700000014</code>: the prompt appears on that handset. Change
      <code>PAYMENTS_PUBLIC_URL</code> if it listens elsewhere.
    </p>
    <pre class="wire" id="env" tabindex="0" aria-labelledby="env-title">
${environmentOf(simulator, merchant)}</pre>
    <button class="button button--quiet" id="copy-env" type="button" hidden>Copy</button>
    ${tlsNote(simulator)}
    <p class="soft small">
      Tills: ${merchant.tillNumbers.join(', ')}. Seed of the faults: ${simulator.seed}.
    </p>
  </section>`;
}

function tlsNote({ url, redirectUrl }: SimulatedPlatform): Html | false {
  return (
    url.startsWith('https:') &&
    html`<p class="soft small">
      The simulator has a certificate of its own: start your application with
      <code>NODE_EXTRA_CA_CERTS</code>.
      ${redirectUrl !== null && html`Plain HTTP at <code>${redirectUrl}</code> redirects.`}
    </p>`
  );
}
