import { html, type Html } from '@tillkit/pages';
import { SCENARIOS } from '../scenarios/scenarios.constants.js';
import type { SimulatedPlatform } from '../simulated-platform.model.js';
import { isPhoneNumber } from '../values/phone-number.js';
import type { Page } from './frame.page.js';
import { handsetSection } from './handset.fragment.js';

/** More handsets do not fit side by side, and the page reads the state of each after every journal entry about it. */
const MAX_HANDSETS = 6;

/** Normalises a phone number to `+254700000014`. A `+` in the query of a URL arrives as a space. */
export function readPhone(written: string): string {
  return written.replace(/^\s*(?:00|\+| )?/, '+').replace(/[\s()-]/g, '');
}

/** The handsets of these numbers side by side; a form to choose one when there are none. */
export function handsetsPage(simulator: SimulatedPlatform, written: readonly string[]): Page {
  const phones = [...new Set(written.filter((text) => text.trim() !== '').map(readPhone))];
  const wrong = phones.find((phone) => !isPhoneNumber(phone));
  if (wrong !== undefined) {
    return picker(simulator, {
      status: 400,
      error: `“${wrong}” is not a phone number. Write it with the country code, as in +254700000014.`,
    });
  }
  if (phones.length > MAX_HANDSETS) {
    return picker(simulator, {
      status: 400,
      error: `A page shows at most ${MAX_HANDSETS} handsets. Remove some.`,
    });
  }
  if (phones.length === 0) return picker(simulator, {});
  const scenarios = simulator.scenarios();
  return {
    title: phones.length === 1 ? `Handset ${phones[0]}` : `${phones.length} handsets`,
    menu: '/handsets',
    script: 'handset.js',
    body: html`
      <h1 class="visually-hidden">${phones.length === 1 ? 'Handset' : 'Handsets'}</h1>
      <div class="handsets${phones.length === 1 && ' handsets--one'}">
        ${phones.map((phone, index) => handsetSection(phone, index, scenarios[phone]))}
      </div>
      ${phones.length < MAX_HANDSETS && pickerForm('Add a phone', phones)}
    `,
  };
}

function picker(
  simulator: SimulatedPlatform,
  { status = 200, error }: { status?: number; error?: string },
): Page {
  const used = simulator.handsets();
  return {
    status,
    title: 'Handsets',
    menu: '/handsets',
    body: html`
      <h1>Choose a phone</h1>
      <p class="lead">
        Every number has a handset. The last two digits choose what the customer does. A number that
        ends in <code>14</code> waits for you.
      </p>
      ${error && html`<p class="problem-note section" role="alert">${error}</p>`}
      ${pickerForm('Phone number', [])}
      <p class="section">
        <a href="/handsets?phone=%2B254700000014&amp;phone=%2B254700000024"
          >Two handsets side by side</a
        >
      </p>
      ${
        used.length > 0 &&
        html`<section class="section" aria-labelledby="used-title">
          <h2 id="used-title">In use</h2>
          <ul class="numbers">
            ${used
              .slice(-24)
              .toReversed()
              .map(({ phone, isOn }) =>
                phoneLink(phone, phone, isOn ? 'On' : 'Off', phone.slice(-2)),
              )}
          </ul>
        </section>`
      }
      <section class="section" aria-labelledby="numbers-title">
        <h2 id="numbers-title">By scenario</h2>
        <ul class="numbers">
          ${Object.entries(SCENARIOS).map(([name, { digits, summary }]) =>
            phoneLink(`+2547000000${digits}`, name, summary, digits),
          )}
        </ul>
      </section>
    `,
  };
}

function phoneLink(phone: string, name: string, what: string, digits: string): Html {
  return html`<li>
    <a href="/handset/${phone}">
      <span class="numbers__digits">…${digits}</span>
      <span class="numbers__name">${name}</span>
      <span class="numbers__what">${what}</span>
    </a>
  </li>`;
}

function pickerForm(label: string, beside: readonly string[]): Html {
  return html`<form class="picker" action="/handsets" method="get">
    ${beside.map((phone) => html`<input type="hidden" name="phone" value="${phone}" />`)}
    <p class="field">
      <label for="phone">${label}</label>
      <input
        id="phone"
        name="phone"
        type="tel"
        placeholder="+254700000014"
        autocomplete="off"
        required
      />
    </p>
    <button class="button" type="submit">${beside.length > 0 ? 'Add' : 'Open'}</button>
  </form>`;
}
