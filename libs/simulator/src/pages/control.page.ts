import { html, type Html } from '@tillkit/pages';
import { SCENARIOS } from '../scenarios/scenarios.constants.js';
import type { SimulatedPlatform } from '../simulated-platform.model.js';
import { activitySection } from './activity.fragment.js';
import { field, optionsOf } from './elements.fragment.js';
import { environmentSection } from './environment.fragment.js';
import { faultsSection } from './faults.fragment.js';
import type { Page } from './frame.page.js';
import { handsetSection } from './handset.fragment.js';
import type { PageQuery } from './page-query.dto.js';

/** Returns the page on which a person uses the simulator: phones, activity, faults, and the settings of an application. */
export function controlPage(simulator: SimulatedPlatform, query: PageQuery): Page {
  const { merchant, phones, problem } = query;
  const merchants = simulator.merchants.list();
  const tills = (merchant ? [merchant] : merchants).flatMap(({ tillNumbers }) => tillNumbers);
  return {
    status: problem?.status ?? 200,
    title: 'Control',
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
            ${phones.map((phone, index) => handsetSection(simulator, phone, index, tills))}
          </div>
        </section>
        ${activitySection(simulator, query)} ${faultsSection(simulator, query)}
        ${environmentSection(simulator, merchant ?? merchants[0])}
      </div>`,
  };
}

/** Chooses the merchant, if there is more than one, and adds a phone. */
function chooser({ merchants }: SimulatedPlatform, { merchant, phones }: PageQuery): Html {
  const names = merchants.list().map(({ name }) => name);
  const numbers = Object.entries(SCENARIOS).map(([name, { digits, summary }]) => [
    `+2547000000${digits}`,
    `${name}: ${summary}`,
  ]);
  return html`<form class="fields" action="/" method="get">
    ${
      names.length > 1 &&
      field({
        id: 'merchant',
        label: 'Merchant',
        attributes: html`name="merchant" autocomplete="off"`,
        options: html`<option value="">All merchants</option>
          ${names.map((name) => html`<option ${name === merchant?.name && html`selected`}>${name}</option>`)}`,
      })
    }
    ${phones.map((phone) => html`<input type="hidden" name="phone" value="${phone}" />`)}
    ${field({
      id: 'add-phone',
      label: 'Add a phone',
      attributes: html`name="phone" type="tel" list="numbers" autocomplete="off"`,
    })}
    <datalist id="numbers">
      ${optionsOf(Object.fromEntries(numbers) as Record<string, string>)}
    </datalist>
    <button class="button button--quiet" type="submit">Show</button>
  </form>`;
}
