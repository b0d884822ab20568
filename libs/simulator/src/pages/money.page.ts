import { html, type Html } from '@tillkit/pages';
import type { SimulatedMerchant } from '../merchants/merchant.model.js';
import { PAYOUT_SCENARIOS } from '../payouts/payout-scenarios.constants.js';
import type { SimulatedPlatform } from '../simulated-platform.model.js';
import { controlRoom } from './control.fragment.js';
import type { Page } from './frame.page.js';
import type { MerchantChoice } from './merchant.fragment.js';

/** The page of the control room about money: payments into a till, balances, and what happens to payouts. */
export function moneyPage(simulator: SimulatedPlatform, choice: MerchantChoice): Page {
  const merchants = choice.merchant ? [choice.merchant] : simulator.merchants.list();
  return controlRoom(simulator, choice, {
    path: '/control/money',
    all: 'All merchants',
    script: 'money.js',
    body: html`<div class="cards">
      ${till(merchants)} ${payoutScenario()} ${balances(choice.merchant?.name)}
    </div>`,
  });
}

function till(merchants: readonly SimulatedMerchant[]): Html {
  return html`<section class="panel" aria-labelledby="till-title">
    <h2 id="till-title">Pay a till</h2>
    <p class="soft small">Money that your application did not request. It only causes webhooks.</p>
    <form class="form" id="till-form" autocomplete="off">
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
  </section>`;
}

/** A form that sets the scenario of a destination of payouts. */
function payoutScenario(): Html {
  return html`<section class="panel" aria-labelledby="payout-title">
    <h2 id="payout-title">Payouts to a number</h2>
    <p class="soft small">
      What happens to payouts to a phone, account or till number, and to refunds of a phone number.
    </p>
    <form class="form" id="payout-form" autocomplete="off">
      <p class="field field--wide">
        <label for="payout-number">Number of the destination</label>
        <input id="payout-number" name="destination" type="text" value="+254700000077" required />
      </p>
      <p class="field field--wide">
        <label for="payout-scenario">What happens</label>
        <select id="payout-scenario" name="scenario">
          <option value="">The last two digits choose</option>
          ${Object.keys(PAYOUT_SCENARIOS).map((name) => html`<option>${name}</option>`)}
        </select>
      </p>
      <button class="button" type="submit">Set</button>
    </form>
  </section>`;
}

/** The balances of all accounts, or of those of one merchant. */
function balances(merchant: string | undefined): Html {
  return html`<section class="panel" aria-labelledby="balances-title">
    <h2 id="balances-title">Balances${merchant !== undefined && ` of ${merchant}`}</h2>
    <p class="soft small">What each account has. The customers’ money comes from the world.</p>
    <p class="balances__none" id="balances-none">Loading the balances …</p>
    <dl class="balances" id="balances-list"></dl>
    <button class="button button--small button--quiet" id="balances-refresh" type="button">
      Read the balances again
    </button>
  </section>`;
}
