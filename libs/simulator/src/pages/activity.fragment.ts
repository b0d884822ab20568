import { html, type Html } from '@tillkit/pages';
import type { SimulatedMerchant } from '../merchants/merchant.model.js';

const MINUTE = 60_000;

const ADVANCES = [
  { name: '+1 min', ms: MINUTE },
  { name: '+1 h', ms: 60 * MINUTE },
  { name: '+1 day', ms: 24 * 60 * MINUTE },
] as const;

/** The clock, and the journal of requests and deliveries, newest first. The script of the page fills it. */
export function activitySection(merchant: SimulatedMerchant | null): Html {
  return html`<section class="panel" id="activity" aria-labelledby="activity-title">
    <h2 id="activity-title">Activity${merchant && ` of ${merchant.name}`}</h2>
    <div class="row" role="group" aria-label="The clock of the platform">
      <span class="mono" id="clock">--:--:--</span>
      ${ADVANCES.map(
        ({ name, ms }) =>
          html`<button class="button button--quiet" type="button" data-advance="${ms}">
            ${name}
          </button>`,
      )}
    </div>
    <div class="fields" role="search" aria-label="Filter the activity">
      <p class="field">
        <label for="search">Search</label>
        <input id="search" type="search" placeholder="phone, payment, path …" autocomplete="off" />
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
    </div>
    <p class="soft small" id="entries-count">
      Nothing has happened yet. <a href="#connect">Connect your application</a>, then request a
      payment.
    </p>
    <ol class="entries" id="entries" aria-labelledby="activity-title"></ol>
  </section>`;
}
