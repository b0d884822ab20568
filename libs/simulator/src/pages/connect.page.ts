import { html } from '@tillkit/pages';
import type { SimulatedPlatform } from '../simulated-platform.model.js';
import { controlRoom } from './control.fragment.js';
import { environmentSection } from './environment.fragment.js';
import type { Page } from './frame.page.js';
import type { MerchantChoice } from './merchant.fragment.js';

/** The page of the control room with the settings of an application: those of the chosen merchant, else of the first. */
export function connectPage(simulator: SimulatedPlatform, choice: MerchantChoice): Page {
  const merchant = choice.merchant ?? simulator.merchants.list()[0];
  return controlRoom(simulator, choice, {
    path: '/control/connect',
    script: 'connect.js',
    isUsableWithoutScript: true,
    body: html`<div class="cards">
      ${environmentSection(simulator, merchant)}
      <section class="panel" aria-labelledby="steps-title">
        <h2 id="steps-title">Then</h2>
        <ol class="steps">
          <li>Start your application.</li>
          <li>
            Open <a href="/handset/+254700000014">the handset +254700000014</a>. It is the phone of
            your customer.
          </li>
          <li>Request a payment from this number. The prompt appears on the handset.</li>
          <li>Enter the PIN. Your application gets the result as a signed callback.</li>
        </ol>
        <dl class="facts">
          ${
            merchant &&
            html`<dt>Tills</dt>
              <dd><code>${merchant.tillNumbers.join(', ')}</code></dd>`
          }
          <dt>Seed of the faults</dt>
          <dd><code>${simulator.seed}</code></dd>
        </dl>
      </section>
    </div>`,
  });
}
