import { html, type Html } from '@tillkit/pages';
import { PAYOUT_SCENARIOS } from '../payouts/payout-scenarios.constants.js';

/** The balances of all accounts, or of those of one merchant. The script of the page reads them when a person opens the section. */
export function balancesSection(merchant: string | undefined): Html {
  return html`<details class="panel fold" id="balances">
    <summary>
      <h2>Balances${merchant !== undefined && ` of ${merchant}`}</h2>
    </summary>
    <p class="soft small">What each account has. The customers’ money comes from the world.</p>
    <dl class="balances" id="balances-list"></dl>
    <button class="button button--small button--quiet" id="balances-refresh" type="button">
      Read the balances again
    </button>
  </details>`;
}

/** A form that sets the scenario of a destination of payouts. */
export function payoutScenarioSection(): Html {
  return html`<details class="panel fold">
    <summary><h2>Payouts to a number</h2></summary>
    <p class="soft small">
      What happens to payouts to a phone, account or till number, and to refunds of a phone number.
    </p>
    <form class="till" id="payout-form" autocomplete="off">
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
  </details>`;
}
