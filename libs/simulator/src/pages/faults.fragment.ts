import { html, type Html, type HtmlContent } from '@tillkit/pages';
import { FAULT_PARAMETERS } from '../faults/fault-parameters.constants.js';
import {
  FAULTS,
  type FaultDescription,
  type FaultOptions,
  type FaultTarget,
} from '../faults/faults.constants.js';

/** The groups of faults, the most used first. */
const GROUPS: Readonly<Record<FaultTarget, string>> = {
  delivery: 'Deliveries',
  attempt: 'Bytes of a delivery',
  content: 'Content of results',
  create: 'Answers to creates',
  read: 'Answers to reads',
  token: 'Tokens',
  api: 'Any call',
};

/** A slider for each fault, and a field for each of its parameters: for all merchants, or for one. */
export function faultsSection(merchant: string | undefined): Html {
  return html`<section class="panel" aria-labelledby="faults-title">
    <div class="faults__head">
      <h2 id="faults-title">Faults${merchant !== undefined && ` of ${merchant}`}</h2>
      <button class="button button--small button--bad" id="clear-faults" type="button">
        Clear all
      </button>
    </div>
    <div class="faults__match">
      <p class="field">
        <label for="match-phone">Only this phone</label>
        <input id="match-phone" type="tel" placeholder="any" autocomplete="off" />
      </p>
      <p class="field">
        <label for="match-delivery">Only these</label>
        <select id="match-delivery" autocomplete="off">
          <option value="">All deliveries</option>
          <option value="callback">Callbacks</option>
          <option value="webhook">Webhooks</option>
        </select>
      </p>
    </div>
    ${Object.entries(GROUPS).map(([target, name]) => group(target as FaultTarget, name))}
  </section>`;
}

function group(target: FaultTarget, name: string): Html {
  const faults = Object.entries<FaultDescription>(FAULTS).filter(
    ([, fault]) => fault.target === target,
  );
  return html`<details class="faults__group" data-group ${target === 'delivery' && html`open`}>
    <summary><span>${name}</span><span class="fault__count" data-set></span></summary>
    <ul>
      ${faults.map(([kind, fault]) => control(kind, fault))}
    </ul>
  </details>`;
}

function control(kind: string, fault: FaultDescription): Html {
  const { target, summary, parameters } = fault;
  return html`<li class="fault" data-kind="${kind}" data-target="${target}">
    <p class="fault__name">
      <label for="fault-${kind}">${kind}</label><span class="fault__count" data-count></span>
    </p>
    <p class="fault__what">${withCode(summary)}</p>
    <input id="fault-${kind}" type="range" min="0" max="100" value="0" autocomplete="off" />
    <output for="fault-${kind}">0 %</output>
    <button
      class="button button--small button--quiet"
      type="button"
      aria-label="${`Once: ${kind}`}"
    >
      Once
    </button>
    ${
      parameters.length > 0 &&
      html`<div class="fault__parameters">
        ${parameters.map((name) => parameterField(kind, fault, name))}
      </div>`
    }
  </li>`;
}

/** The field of a parameter. An empty field leaves the parameter out. */
function parameterField(
  kind: string,
  { defaults }: FaultDescription,
  name: keyof FaultOptions,
): Html {
  const id = `fault-${kind}-${name}`;
  const parameter = FAULT_PARAMETERS[name];
  const value = defaults[name] ?? '';
  return html`<p class="fault__parameter">
    <label for="${id}">${parameter.label}<span class="visually-hidden"> of ${kind}</span></label>
    ${
      parameter.type === 'boolean'
        ? html`<input
            id="${id}"
            data-parameter="${name}"
            type="checkbox"
            ${value === true && html`checked`}
            autocomplete="off"
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
            autocomplete="off"
          />`
    }
  </p>`;
}

/** Turns backticks of a summary into `<code>`. */
function withCode(summary: string): HtmlContent {
  return summary.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part));
}
