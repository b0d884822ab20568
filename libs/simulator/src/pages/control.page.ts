import { html, type Html } from '@tillkit/pages';
import type { SimulatedMerchant } from '../merchants/merchant.model.js';
import type { SimulatedPlatform } from '../simulated-platform.model.js';
import { faultsSection } from './faults.fragment.js';
import { balancesSection, payoutScenarioSection } from './money.fragment.js';
import type { Page } from './frame.page.js';
import { merchantChooser, type MerchantChoice } from './merchant.fragment.js';

const MINUTE = 60_000;

const ADVANCES = [
  { name: '+1 min', ms: MINUTE },
  { name: '+20 min', ms: 20 * MINUTE },
  { name: '+1 h', ms: 60 * MINUTE },
  { name: '+1 day', ms: 24 * 60 * MINUTE },
] as const;

/** The control room: the journal of requests and deliveries, the clock, payments into a till, balances, payouts, and faults. */
export function controlPage(simulator: SimulatedPlatform, choice: MerchantChoice): Page {
  const name = choice.merchant?.name;
  const merchants = choice.merchant ? [choice.merchant] : simulator.merchants.list();
  return {
    status: choice.unknown === null ? 200 : 404,
    title: 'Control room',
    menu: '/control',
    script: 'control.js',
    body: html`
      <div class="head">
        <h1>Control room</h1>
        ${clock()}
      </div>
      ${merchantChooser(simulator, choice, '/control', 'All merchants')}
      <p class="status" id="status" role="status"></p>
      <div class="control" ${name !== undefined && html`data-merchant="${name}"`}>
        ${journal(name)}
        <div class="control__side">
          ${till(merchants)} ${balancesSection(name)} ${payoutScenarioSection()}
          ${faultsSection(name)}
        </div>
      </div>
    `,
  };
}

function clock(): Html {
  return html`<div class="clock" role="group" aria-label="The clock of the platform">
    <p>
      <span class="clock__label" id="date">Time of the platform</span>
      <span class="clock__time" id="clock">--:--:--</span>
    </p>
    <div class="row">
      ${ADVANCES.map(
        ({ name, ms }) =>
          html`<button class="button button--small" type="button" data-advance="${ms}">
            ${name}
          </button>`,
      )}
    </div>
  </div>`;
}

function journal(merchant: string | undefined): Html {
  return html`<section class="panel journal" aria-labelledby="journal-title">
    <div class="journal__head">
      <div class="journal__title">
        <h2 id="journal-title">Journal${merchant !== undefined && ` of ${merchant}`}</h2>
        <p class="soft small" id="entries-count"></p>
      </div>
      <div class="filters" role="search" aria-label="Filter the journal">
        <p class="field">
          <label for="search">Search</label>
          <input
            id="search"
            type="search"
            placeholder="phone, payment, path, text …"
            autocomplete="off"
          />
        </p>
        <p class="field">
          <label for="filter">Show</label>
          <select id="filter" autocomplete="off">
            <option value="">Everything</option>
            <option value="request">Requests</option>
            <option value="attempt">Deliveries</option>
            <option value="note">Other events</option>
            <option value="problem">Problems only</option>
          </select>
        </p>
        <button class="button button--quiet" id="pause" type="button" aria-pressed="false">
          Pause
        </button>
        <button class="button button--quiet" id="clear" type="button">Clear</button>
      </div>
    </div>
    <p class="entries__none" id="entries-none">Waiting for the journal …</p>
    <ol id="entries" aria-labelledby="journal-title"></ol>
  </section>`;
}

function till(merchants: readonly SimulatedMerchant[]): Html {
  return html`<details class="panel fold">
    <summary><h2>Pay a till</h2></summary>
    <p class="soft small">Money that your application did not request. It only causes webhooks.</p>
    <form class="till" id="till-form" autocomplete="off">
      <p class="field">
        <label for="till-number">Till</label>
        <select id="till-number" name="tillNumber">
          ${merchants.flatMap(({ name, tillNumbers }) =>
            tillNumbers.map((number) =>
              merchants.length > 1
                ? html`<option value="${number}">${number} (${name})</option>`
                : html`<option>${number}</option>`,
            ),
          )}
        </select>
      </p>
      <p class="field">
        <label for="till-amount">Amount</label>
        <input
          id="till-amount"
          name="amount"
          type="number"
          min="1"
          step="any"
          value="350"
          required
        />
      </p>
      <p class="field field--wide">
        <label for="till-phone">From the phone</label>
        <input id="till-phone" name="phoneNumber" type="tel" value="+254700000077" required />
      </p>
      <p class="field">
        <label for="till-first">First name</label>
        <input id="till-first" name="firstName" type="text" value="Amina" />
      </p>
      <p class="field">
        <label for="till-last">Last name</label>
        <input id="till-last" name="lastName" type="text" value="Yusuf" />
      </p>
      <button class="button" type="submit">Pay</button>
    </form>
  </details>`;
}
