import { HANDSET_PIN } from '../handsets/handset.model.js';
import { SCENARIOS } from '../scenarios/scenarios.table.js';
import type { Simulator } from '../simulator.js';
import { isPhoneNumber } from '../values/phone.value.js';
import { handsetSection } from './handset.section.js';
import { html, type Html } from './html.template.js';
import type { Page } from './page.layout.js';

/** Side by side they shall fit a screen, and each costs a look at every happening. */
const MOST_HANDSETS = 6;

/** What people write instead of `+254700000014`; a `+` in an address arrives as a space. */
export function readPhone(written: string): string {
  return written.replace(/^\s*(?:00|\+| )?/, '+').replace(/[\s()-]/g, '');
}

/** Handsets side by side, or the choice of them. */
export function handsetsPage(simulator: Simulator, written: readonly string[]): Page {
  const phones = [...new Set(written.filter((text) => text.trim() !== '').map(readPhone))];
  const wrong = phones.find((phone) => !isPhoneNumber(phone));
  if (wrong !== undefined) {
    return picker(simulator, {
      status: 400,
      complaint: `“${wrong}” is no phone number. Write it with the country, as in +254700000014.`,
    });
  }
  if (phones.length > MOST_HANDSETS) {
    return picker(simulator, {
      status: 400,
      complaint: `No more than ${MOST_HANDSETS} handsets fit on a page.`,
    });
  }
  if (phones.length === 0) return picker(simulator, {});
  const overridden = simulator.scenarios();
  return {
    title: phones.length === 1 ? `Handset ${phones[0]}` : `${phones.length} handsets`,
    place: 'handsets',
    own: 'handset',
    body: html`
      <h1>${phones.length === 1 ? 'Handset' : 'Handsets'}</h1>
      <p class="lead">
        A prompt appears here as soon as your application asks for money. The PIN is
        <code>${HANDSET_PIN}</code>; any other is wrong.
      </p>
      ${phones.length < MOST_HANDSETS && pickerForm('Add a phone beside', phones)}
      <div class="handsets">
        ${phones.map((phone, index) => handsetSection(phone, index, overridden[phone]))}
      </div>
    `,
  };
}

function picker(
  simulator: Simulator,
  { status = 200, complaint }: { status?: number; complaint?: string },
): Page {
  const used = simulator.handsets();
  return {
    status,
    title: 'Handsets',
    place: 'handsets',
    body: html`
      <h1>Whose phone?</h1>
      <p class="lead">
        Any number has a handset. Its last two digits say what the customer does; with
        <code>…14</code> you decide.
      </p>
      ${complaint && html`<p class="problem-note section" role="alert">${complaint}</p>`}
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
        <h2 id="numbers-title">By what happens</h2>
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
