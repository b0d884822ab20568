import { html, type Html, type HtmlContent } from '@tillkit/pages';
import { CORRECT_CLIENTS } from '../faults/correct-clients.constants.js';
import { FAULT_PARAMETERS } from '../faults/fault-parameters.constants.js';
import {
  FAULTS,
  isFaultKind,
  type FaultDescription,
  type FaultKind,
  type FaultOptions,
  type FaultTarget,
} from '../faults/faults.constants.js';
import type { SimulatedPlatform } from '../simulated-platform.model.js';
import { activeFaults, controlRoom } from './control.fragment.js';
import type { Page } from './frame.page.js';
import type { MerchantChoice } from './merchant.fragment.js';

/** What can limit a fault: deliveries of a kind, or requests to a resource. */
type Scope = 'delivery' | 'resource';

/** The groups of faults, the most used first. */
const GROUPS: Readonly<Record<FaultTarget, { name: string; scopes: readonly Scope[] }>> = {
  delivery: { name: 'Deliveries', scopes: ['delivery'] },
  attempt: { name: 'Bytes of a delivery', scopes: ['delivery'] },
  content: { name: 'Content of results', scopes: ['delivery', 'resource'] },
  create: { name: 'Answers to creates', scopes: ['resource'] },
  read: { name: 'Answers to reads', scopes: ['resource'] },
  token: { name: 'Tokens', scopes: [] },
  api: { name: 'Any call', scopes: ['resource'] },
};

const SCOPES: Readonly<Record<Scope, readonly string[]>> = {
  delivery: ['callback', 'webhook'],
  resource: [
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
  ],
};

/** The page of the control room with a form for each fault: for all merchants, or for one. */
export function faultsPage(simulator: SimulatedPlatform, choice: MerchantChoice): Page {
  const merchant = choice.merchant?.name;
  return controlRoom(simulator, choice, {
    path: '/control/faults',
    all: 'All merchants',
    script: 'faults.js',
    body: html`${activeFaults()}
      <section class="panel faults" aria-labelledby="faults-title">
        <div class="faults__head">
          <div>
            <h2 id="faults-title">Faults${merchant !== undefined && ` of ${merchant}`}</h2>
            <p class="soft small">
              Start injects a fault at its rate until you end it. Once injects it into the next
              match.
            </p>
          </div>
          <p class="field">
            <label for="find-fault">Find a fault</label>
            <input id="find-fault" type="search" placeholder="name or text" autocomplete="off" />
          </p>
          <p class="field">
            <label for="match-phone">Only for this phone</label>
            <input id="match-phone" type="tel" placeholder="any" autocomplete="off" />
          </p>
        </div>
        <p class="faults__none" id="faults-none" hidden>No fault has these words.</p>
        ${Object.keys(GROUPS).map((target) => group(target as FaultTarget))}
      </section>`,
  });
}

function group(target: FaultTarget): Html {
  const kinds = Object.keys(FAULTS)
    .filter(isFaultKind)
    .filter((kind) => FAULTS[kind].target === target);
  return html`<details class="faults__group" data-group ${target === 'delivery' && html`open`}>
    <summary>
      <h3>${GROUPS[target].name}</h3>
      <span class="soft small">${kinds.length}</span>
      <span class="fault__count" data-set></span>
    </summary>
    <ul>
      ${kinds.map((kind) => row(kind))}
    </ul>
  </details>`;
}

function row(kind: FaultKind): Html {
  const fault: FaultDescription = FAULTS[kind];
  return html`<li class="fault" data-kind="${kind}" data-target="${fault.target}">
    <div>
      <h4 class="fault__name">
        <code>${kind}</code> <span class="fault__count" data-count></span>
      </h4>
      <p class="fault__what">
        ${withCode(fault.summary)}
        <span class="fault__client">A correct client ${withCode(CORRECT_CLIENTS[kind])}</span>
      </p>
    </div>
    <form class="fault__inputs" autocomplete="off">
      ${fault.parameters.map((name) => parameterField(kind, fault, name))}
      ${scopeField(kind, GROUPS[fault.target].scopes)}
      <p class="field fault__rate">
        <label for="rate-${kind}">Rate, %${of(kind)}</label>
        <input
          id="rate-${kind}"
          data-rate
          type="number"
          min="0.01"
          max="100"
          step="any"
          value="100"
          required
        />
      </p>
      <p class="fault__actions">
        <button
          class="button button--small button--quiet"
          type="button"
          data-once
          aria-label="${`Once: ${kind}`}"
        >
          Once
        </button>
        <button
          class="button button--small button--quiet"
          type="submit"
          data-start
          aria-label="${`Start ${kind}`}"
        >
          Start
        </button>
        <button
          class="button button--small button--bad"
          type="button"
          data-end
          aria-label="${`End ${kind}`}"
          hidden
        >
          End
        </button>
      </p>
    </form>
  </li>`;
}

/** Tells apart fields of different faults for those who do not see them. */
function of(kind: string): Html {
  return html`<span class="visually-hidden"> of ${kind}</span>`;
}

function scopeField(kind: string, scopes: readonly Scope[]): Html | false {
  return (
    scopes.length > 0 &&
    html`<p class="field fault__scope">
      <label for="scope-${kind}">Only${of(kind)}</label>
      <select id="scope-${kind}" data-scope>
        <option value="">${scopes.includes('resource') ? 'Everything' : 'All deliveries'}</option>
        ${scopes.flatMap((scope) =>
          SCOPES[scope].map(
            (value) => html`<option value="${scope}:${value}">${optionName(value)}</option>`,
          ),
        )}
      </select>
    </p>`
  );
}

function optionName(value: string): string {
  return SCOPES.delivery.includes(value) ? `${value}s` : value;
}

/** The field of a parameter, under the name that the text about the fault uses. An empty field leaves the parameter out. */
function parameterField(
  kind: string,
  { defaults }: FaultDescription,
  name: keyof FaultOptions,
): Html {
  const id = `fault-${kind}-${name}`;
  const parameter = FAULT_PARAMETERS[name];
  const value = defaults[name] ?? '';
  return html`<p class="field fault__parameter">
    <label for="${id}"><code>${name}</code>${of(kind)}</label>
    ${
      parameter.type === 'boolean'
        ? html`<input
            id="${id}"
            data-parameter="${name}"
            type="checkbox"
            ${value === true && html`checked`}
          />`
        : html`<input
            id="${id}"
            data-parameter="${name}"
            type="${parameter.type}"
            ${
              parameter.type === 'number' &&
              html`min="${parameter.min}" max="${parameter.max}"
              step="${parameter.isWhole ? '1' : 'any'}"`
            }
            value="${String(value)}"
          />`
    }
  </p>`;
}

/** Turns backticks of a text into `<code>`. */
function withCode(text: string): HtmlContent {
  return text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part));
}
