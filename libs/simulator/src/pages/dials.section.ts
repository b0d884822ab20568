import { FAULTS, type FaultDescription, type FaultPlace } from '../faults/faults.table.js';
import { html, type Html, type HtmlContent } from './html.template.js';

/** The groups of dials, in the order in which people need them. */
const GROUPS: Readonly<Record<FaultPlace, string>> = {
  delivery: 'Deliveries',
  attempt: 'Bytes of a delivery',
  content: 'What is told',
  create: 'Answers to creates',
  read: 'Answers to reads',
  token: 'Tokens',
  api: 'Any call',
};

/** A dial for each fault, from the table that the platform itself reads. */
export function dialsSection(): Html {
  return html`<section class="panel" aria-labelledby="dials-title">
    <div class="dials__head">
      <h2 id="dials-title">Faults</h2>
      <button class="button button--small button--bad" id="clear-faults" type="button">
        Clear all
      </button>
    </div>
    <div class="dials__match">
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
    ${Object.entries(GROUPS).map(([place, name]) => group(place as FaultPlace, name))}
  </section>`;
}

function group(place: FaultPlace, name: string): Html {
  const faults = Object.entries<FaultDescription>(FAULTS).filter(
    ([, fault]) => fault.place === place,
  );
  return html`<details class="dials__group" data-group ${place === 'delivery' && html`open`}>
    <summary><span>${name}</span><span class="dial__struck" data-set></span></summary>
    <ul>
      ${faults.map(([kind, fault]) => dial(kind, fault))}
    </ul>
  </details>`;
}

function dial(kind: string, { place, summary }: FaultDescription): Html {
  return html`<li class="dial" data-kind="${kind}" data-place="${place}">
    <p class="dial__name">
      <label for="dial-${kind}">${kind}</label><span class="dial__struck" data-struck></span>
    </p>
    <p class="dial__what">${withCode(summary)}</p>
    <input id="dial-${kind}" type="range" min="0" max="100" value="0" autocomplete="off" />
    <output for="dial-${kind}">0 %</output>
    <button
      class="button button--small button--quiet"
      type="button"
      aria-label="${`Once: ${kind}`}"
    >
      Once
    </button>
  </li>`;
}

/** What the table writes between backticks is a word of the API. */
function withCode(summary: string): HtmlContent {
  return summary.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part));
}
