import { Html, html } from '@tillkit/pages';
import { listSvg, phoneSvg, slidersSvg } from '../generated/assets.js';
import { SCENARIOS } from '../scenarios/scenarios.constants.js';
import type { SimulatedPlatform } from '../simulated-platform.model.js';
import type { Page } from './frame.page.js';
import { environmentSection } from './environment.fragment.js';
import { merchantChooser, type MerchantChoice } from './merchant.fragment.js';

/** The start page: links to the other pages, the settings of an application, and the scenarios. */
export function startPage(simulator: SimulatedPlatform, choice: MerchantChoice): Page {
  return {
    status: choice.unknown === null ? 200 : 404,
    title: 'Start',
    menu: '/',
    script: 'environment.js',
    isUsableWithoutScript: true,
    body: html`
      <h1>A mobile-money platform for your own tests</h1>
      <p class="lead">
        Your application uses it like the real one: tokens, payment prompts, signed callbacks and
        webhooks. You are the customer, and you decide what goes wrong.
      </p>
      <ul class="doors">
        <li>
          <a class="door" href="/handset/+254700000014">
            ${new Html(phoneSvg)}<strong>A handset</strong>
            <span
              >The customer’s phone. Payment prompts appear on it. Enter the PIN, or do not.</span
            >
          </a>
        </li>
        <li>
          <a class="door" href="/control">
            ${new Html(slidersSvg)}<strong>The control room</strong>
            <span
              >Every request and delivery as it happens. Lose, delay, damage or repeat them, and
              move the clock forward.</span
            >
          </a>
        </li>
        <li>
          <a class="door" href="#scenarios">
            ${new Html(listSvg)}<strong>The scenarios</strong>
            <span>What happens to a payment, by the last two digits of the phone number.</span>
          </a>
        </li>
      </ul>
      ${connection(simulator, choice)}
      <section class="section" id="scenarios" aria-labelledby="scenarios-title">
        <h2 id="scenarios-title">Scenarios</h2>
        <ul class="numbers">
          ${Object.entries(SCENARIOS).map(
            ([name, { digits, summary }]) =>
              html`<li>
                <a href="/handset/+2547000000${digits}">
                  <span class="numbers__digits">…${digits}</span>
                  <span class="numbers__name">${name}</span>
                  <span class="numbers__what">${summary}</span>
                </a>
              </li>`,
          )}
        </ul>
      </section>
    `,
  };
}

/** The settings of an application: those of the chosen merchant, else of the first. */
function connection(simulator: SimulatedPlatform, choice: MerchantChoice): Html {
  const merchant = choice.merchant ?? simulator.merchants.list()[0];
  return html`<div>
    ${merchantChooser(simulator, choice, '/')}
    <p class="status" id="status" role="status"></p>
    ${environmentSection(simulator, merchant)}
  </div>`;
}
