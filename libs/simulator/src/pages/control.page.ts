import { html } from '@tillkit/pages';
import type { SimulatedPlatform } from '../simulated-platform.model.js';
import { activeFaults, controlRoom } from './control.fragment.js';
import type { Page } from './frame.page.js';
import type { MerchantChoice } from './merchant.fragment.js';

/** The first page of the control room: the journal of requests and deliveries, newest first. */
export function controlPage(simulator: SimulatedPlatform, choice: MerchantChoice): Page {
  const merchant = choice.merchant?.name;
  return controlRoom(simulator, choice, {
    path: '/control',
    all: 'All merchants',
    script: 'control.js',
    body: html`${activeFaults()}
      <section class="panel journal" aria-labelledby="journal-title">
        <div class="journal__head">
          <div class="journal__title">
            <h2 id="journal-title">Activity${merchant !== undefined && ` of ${merchant}`}</h2>
            <p class="soft small" id="entries-count"></p>
          </div>
          <div class="filters" role="search" aria-label="Filter the activity">
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
        <p class="entries__none" id="entries-none">Loading the activity …</p>
        <div class="entries__none" id="entries-empty" hidden>
          <h3>Nothing has happened yet</h3>
          <p>
            <a href="/control/connect">Connect your application</a>, then request a payment. Each
            request and each delivery appears here.
          </p>
        </div>
        <ol id="entries" aria-labelledby="journal-title"></ol>
      </section>`,
  });
}
