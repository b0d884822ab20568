import { html, type Html } from '@tillkit/pages';
import { FAULT_PARAMETERS } from '../faults/fault-parameters.constants.js';
import {
  FAULTS,
  isFaultKind,
  type FaultDescription,
  type FaultKind,
  type FaultOptions,
  type FaultTarget,
} from '../faults/faults.constants.js';
import type { SimulatedMerchant } from '../merchants/merchant.model.js';

/** The groups of faults, the most used first, and what can limit them. */
const GROUPS: Readonly<Record<FaultTarget, { name: string; scopes: string }>> = {
  delivery: { name: 'Deliveries', scopes: 'delivery' },
  attempt: { name: 'Bytes of a delivery', scopes: 'delivery' },
  content: { name: 'Content of results', scopes: 'delivery resource' },
  create: { name: 'Answers to creates', scopes: 'resource' },
  read: { name: 'Answers to reads', scopes: 'resource' },
  token: { name: 'Tokens', scopes: '' },
  api: { name: 'Any call', scopes: 'resource' },
};

const RESOURCES = [
  'incoming_payments',
  'send_money',
  'payments',
  'settlement_transfers',
  'reversals',
  'payment_links',
  'polling',
  'webhook_subscriptions',
  'external_recipients',
  'pay_recipients',
  'transaction_sms_notifications',
] as const;

/** The faults that are active, and a form that starts one. The script of the page shows what the chosen fault needs. */
export function faultsSection(merchant: SimulatedMerchant | null): Html {
  return html`<section class="panel" id="faults" aria-labelledby="faults-title">
    <h2 id="faults-title">Faults${merchant && ` of ${merchant.name}`}</h2>
    <form id="fault-form" autocomplete="off">
      <p class="field">
        <label for="fault">Fault</label>
        <select id="fault">
          ${Object.keys(GROUPS).map((target) => group(target as FaultTarget))}
        </select>
      </p>
      <p id="fault-what"></p>
      <div class="fields">
        ${Object.keys(FAULT_PARAMETERS).map((name) => parameterField(name as keyof FaultOptions))}
        ${scopeField()}
        <p class="field" id="fault-phone-field">
          <label for="fault-phone">Only for this phone</label>
          <input id="fault-phone" type="tel" placeholder="any" />
        </p>
        <p class="field">
          <label for="fault-rate">Rate, %</label>
          <input
            id="fault-rate"
            type="number"
            min="0.01"
            max="100"
            step="any"
            value="100"
            required
          />
        </p>
        <button class="button" type="submit">Start</button>
        <button class="button button--quiet" id="fault-once" type="button">Once</button>
      </div>
    </form>
    <div id="active-faults" role="region" aria-labelledby="active-title" hidden>
      <h3 id="active-title">Active faults</h3>
      <ul id="active-list"></ul>
      <button class="button button--quiet" id="end-faults" type="button">End all</button>
    </div>
  </section>`;
}

function group(target: FaultTarget): Html {
  const kinds = Object.keys(FAULTS)
    .filter(isFaultKind)
    .filter((kind) => FAULTS[kind].target === target);
  return html`<optgroup label="${GROUPS[target].name}">
    ${kinds.map((kind) => option(kind, FAULTS[kind]))}
  </optgroup>`;
}

function option(
  kind: FaultKind,
  { summary, target, defaults, parameters }: FaultDescription,
): Html {
  const values = Object.fromEntries(parameters.map((name) => [name, defaults[name] ?? '']));
  return html`<option
    data-what="${summary.replaceAll('`', '')}"
    data-target="${target}"
    data-scopes="${GROUPS[target].scopes}"
    data-parameters="${JSON.stringify(values)}"
  >
    ${kind}
  </option>`;
}

function scopeField(): Html {
  return html`<p class="field" id="fault-scope-field">
    <label for="fault-scope">Only</label>
    <select id="fault-scope">
      <option value="">Everything</option>
      <optgroup label="Deliveries" data-scope="delivery">
        <option value="delivery:callback">callbacks</option>
        <option value="delivery:webhook">webhooks</option>
      </optgroup>
      <optgroup label="Requests to" data-scope="resource">
        ${RESOURCES.map((name) => html`<option value="resource:${name}">${name}</option>`)}
      </optgroup>
    </select>
  </p>`;
}

/** The field of a parameter, under the name that the text about the fault uses. */
function parameterField(name: keyof FaultOptions): Html {
  const parameter = FAULT_PARAMETERS[name];
  const id = `fault-${name}`;
  const attributes =
    parameter.type === 'number'
      ? html`type="number" min="${parameter.min}" max="${parameter.max}"
        step="${parameter.isWhole ? '1' : 'any'}"`
      : html`type="${parameter.type === 'boolean' ? 'checkbox' : 'text'}"`;
  return html`<p class="field" data-field="${name}" hidden>
    <label for="${id}">${name}</label>
    <input id="${id}" data-parameter="${name}" ${attributes} />
  </p>`;
}
