import { html, type Html } from '@tillkit/pages';
import { CORRUPTIONS } from '../deliveries/delivery-corruption.service.js';
import type { DeliveryAttempt } from '../deliveries/delivery.record.js';
import { NotKnownError } from '../simulator.errors.js';
import type { SimulatedPlatform } from '../simulated-platform.model.js';
import { button, optionsOf, time, visible } from './elements.fragment.js';

const SENT = 'Sent: answered {status}.';

/** A developer can do this with a delivery. */
const ACTIONS = {
  Resend: { call: 'resend', says: SENT },
  Duplicate: { call: 'duplicate', body: { times: 1 }, says: SENT },
  'Delay 1 min': { call: 'delay', body: { ms: 60_000 }, says: 'Delayed by 1 min.' },
  'Delay 1 h': { call: 'delay', body: { ms: 3_600_000 }, says: 'Delayed by 1 h.' },
  Drop: { call: 'drop', says: 'Dropped: it will not be delivered.' },
};

/** Returns the state of a delivery, its attempts, and the actions on it. */
export function deliverySection(simulator: SimulatedPlatform, id: string): Html {
  const path = `POST /deliveries/${encodeURIComponent(id)}`;
  const corruptions = Object.fromEntries(CORRUPTIONS.map((name) => [name, name]));
  return html`<section aria-label="This delivery">
    ${state(simulator, id)}
    <form class="row">
      ${Object.entries(ACTIONS).map(([name, action]) =>
        button(name, { ...action, call: `${path}/${action.call}` }),
      )}
    </form>
    <form class="row">
      ${button('Corrupt', { call: `${path}/resend`, says: SENT })}
      <select name="corruption" aria-label="Kind of damage">
        ${optionsOf(corruptions)}
      </select>
    </form>
    <p class="soft small">Only a waiting delivery can be dropped or delayed.</p>
  </section>`;
}

function state({ deliveries }: SimulatedPlatform, id: string): Html {
  try {
    const { kind, state: is, attempts } = deliveries.get(id);
    return html`<h3>This ${kind}: ${is}</h3>
      <ol>
        ${attempts.map(attempt)}
      </ol>`;
  } catch (error) {
    if (!(error instanceof NotKnownError)) throw error;
    return html`<p class="soft">${visible(error.message)}</p>`;
  }
}

function attempt({ at, status, error, faults }: DeliveryAttempt): Html {
  const outcome = [String(status ?? error), ...faults].map((text) => ` · ${visible(text)}`);
  return html`<li>${time(at)}${outcome}</li>`;
}
