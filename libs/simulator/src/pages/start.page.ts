import { SCENARIOS } from '../scenarios/scenarios.table.js';
import type { Simulator } from '../simulator.js';
import { html, type Html } from './html.template.js';
import type { Page } from './page.layout.js';

/** What this is, and where to go. */
export function startPage(simulator: Simulator): Page {
  return {
    title: 'Start',
    place: 'start',
    body: html`
      <div class="hero">
        <h1>A mobile-money platform, all yours.</h1>
        <p class="lead">
          Your application speaks with it as with the real one: tokens, payment prompts, signed
          callbacks and webhooks. Here you are the customer, and the weather.
        </p>
      </div>
      <ul class="doors">
        <li>
          <a class="door" href="/handset/+254700000014">
            ${PHONE_ICON}<strong>A handset</strong>
            <span
              >The customer’s phone. Payment prompts appear on it; enter the PIN, or don’t.</span
            >
          </a>
        </li>
        <li>
          <a class="door door--control" href="/control">
            ${DIALS_ICON}<strong>The control room</strong>
            <span
              >Every request and delivery as it happens. Lose, delay, damage and repeat them; move
              the clock.</span
            >
          </a>
        </li>
        <li>
          <a class="door door--table" href="#scenarios">
            ${TABLE_ICON}<strong>The scenarios</strong>
            <span>What happens to a payment, by the last two digits of the phone number.</span>
          </a>
        </li>
      </ul>
      ${connection(simulator)}
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

/** What an application needs, without what only its environment may hold. */
function connection({ url, clientId, tillNumbers, seed, redirectUrl }: Simulator): Html {
  return html`<section class="section panel" aria-labelledby="connection-title">
    <h2 id="connection-title">Point your application here</h2>
    <dl class="facts">
      <dt>Base URL</dt>
      <dd><code>${url}</code></dd>
      ${
        redirectUrl &&
        html`<dt>Plain HTTP, redirects</dt>
          <dd><code>${redirectUrl}</code></dd>`
      }
      <dt>Client id</dt>
      <dd><code>${clientId}</code></dd>
      <dt>Client secret, API key</dt>
      <dd>Printed where the simulator was started; they are not told here.</dd>
      <dt>Tills</dt>
      <dd><code>${tillNumbers.join(', ')}</code></dd>
      <dt>Seed of the faults</dt>
      <dd><code>${seed}</code></dd>
    </dl>
  </section>`;
}

const PHONE_ICON = html`<svg
  viewBox="0 0 24 24"
  fill="none"
  stroke="currentColor"
  stroke-width="2"
  stroke-linecap="round"
  stroke-linejoin="round"
  aria-hidden="true"
>
  <rect x="6" y="2" width="12" height="20" rx="3" />
  <path d="M10 18h4M9 7h6M9 11h6" />
</svg>`;

const DIALS_ICON = html`<svg
  viewBox="0 0 24 24"
  fill="none"
  stroke="currentColor"
  stroke-width="2"
  stroke-linecap="round"
  stroke-linejoin="round"
  aria-hidden="true"
>
  <path d="M5 3v8m0 4v6M12 3v3m0 4v11M19 3v11m0 4v3M2 15h6M9 6h6M16 18h6" />
</svg>`;

const TABLE_ICON = html`<svg
  viewBox="0 0 24 24"
  fill="none"
  stroke="currentColor"
  stroke-width="2"
  stroke-linecap="round"
  stroke-linejoin="round"
  aria-hidden="true"
>
  <path d="M3 5h4M11 5h10M3 12h4M11 12h10M3 19h4M11 19h10" />
</svg>`;
