import { html, type Html } from '@tillkit/pages';
import { SCENARIOS } from '../scenarios/scenarios.constants.js';
import type { SimulatedPlatform } from '../simulated-platform.model.js';
import { activitySection } from './activity.fragment.js';
import { environmentSection } from './environment.fragment.js';
import { faultsSection } from './faults.fragment.js';
import type { Page } from './frame.page.js';
import { handsetSection } from './handset.fragment.js';
import type { PageQuery } from './page-query.dto.js';

/** The page on which a person uses the simulator: phones, activity, faults, and the settings of an application. */
export function controlPage(simulator: SimulatedPlatform, query: PageQuery): Page {
  const { merchant, phones, problem } = query;
  const tills = (merchant ? [merchant] : simulator.merchants.list()).flatMap(
    ({ tillNumbers }) => tillNumbers,
  );
  return {
    status: problem?.status ?? 200,
    title: 'Control',
    script: 'control.js',
    body: html`<h1 class="visually-hidden">Simulator</h1>
      ${problem && html`<p class="problem" role="alert">${problem.text}</p>`}
      ${chooser(simulator, query)}
      <p class="status" id="status" role="status"></p>
      <div class="control" ${merchant && html`data-merchant="${merchant.name}"`}>
        <section id="handsets" aria-labelledby="handsets-title">
          <h2 id="handsets-title">Handsets</h2>
          <noscript>
            <p class="problem">
              Without JavaScript, only the settings of your application are usable here. The control
              API under /_simulator can do the rest.
            </p>
          </noscript>
          <div class="handsets">
            ${phones.map((phone, index) => handsetSection(phone, index, tills))}
          </div>
        </section>
        ${activitySection(merchant)} ${faultsSection(merchant)}
        ${environmentSection(simulator, merchant ?? simulator.merchants.list()[0])}
      </div>`,
  };
}

/** Chooses the merchant, where there is more than one, and adds a phone. */
function chooser({ merchants }: SimulatedPlatform, { merchant, phones }: PageQuery): Html {
  const names = merchants.list().map(({ name }) => name);
  return html`<form class="fields" action="/" method="get">
    ${
      names.length > 1 &&
      html`<p class="field">
        <label for="merchant">Merchant</label>
        <select id="merchant" name="merchant" autocomplete="off">
          <option value="">All merchants</option>
          ${names.map(
            (name) => html`<option ${name === merchant?.name && html`selected`}>${name}</option>`,
          )}
        </select>
      </p>`
    }
    ${phones.map((phone) => html`<input type="hidden" name="phone" value="${phone}" />`)}
    <p class="field">
      <label for="add-phone">Add a phone</label>
      <input id="add-phone" name="phone" type="tel" list="numbers" autocomplete="off" />
    </p>
    <datalist id="numbers">
      ${Object.entries(SCENARIOS).map(
        ([name, { digits, summary }]) =>
          html`<option value="+2547000000${digits}">${name}: ${summary}</option>`,
      )}
    </datalist>
    <button class="button button--quiet" type="submit">Show</button>
  </form>`;
}
