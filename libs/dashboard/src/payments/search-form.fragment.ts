import { html, type Html } from '@tillkit/pages';
import { inAccount } from '../html/account.fragment.js';
import { PAYMENT_STATES, stateName } from '../html/state.fragment.js';
import type { Visit } from '../web/visit.dto.js';
import type { FilterField, PaymentsQuery } from './payments-query.dto.js';

const INPUTS = [
  { field: 'phone', label: 'Phone number', type: 'tel', hint: '0700 000 000 or +254700000000' },
  { field: 'reference', label: 'Reference of the transaction', type: 'text', hint: '' },
  { field: 'key', label: 'Order key', type: 'text', hint: 'the idempotency key' },
  { field: 'platformId', label: 'Id at the platform', type: 'text', hint: '' },
  { field: 'from', label: 'Recorded from', type: 'datetime-local', hint: '' },
  { field: 'to', label: 'until before', type: 'datetime-local', hint: '' },
] as const;

/** The search form. It is posted, so that no address contains a phone number. */
export function searchForm(visit: Visit, query: PaymentsQuery, isOpen: boolean): Html {
  const { states, problems } = query;
  return html`<details class="filter" ${isOpen && html`open`}>
    <summary>Search by phone, reference, key, state or time</summary>
    <form method="post" action="${visit.link('payments/search')}">
      <div class="fields">${INPUTS.map((input) => field(input, query))}</div>
      <fieldset class="choices" ${problems.state && html`aria-describedby="state-problem"`}>
        <legend>State</legend>
        ${PAYMENT_STATES.map(
          (name) =>
            html`<label
              ><input
                type="checkbox"
                name="state"
                value="${name}"
                ${states.includes(name) && html`checked`}
              />${stateName(name)}</label
            >`,
        )}
        ${problems.state && html`<p class="field-error" id="state-problem">${problems.state}</p>`}
      </fieldset>
      <p class="actions">
        <button>Search</button> ${inAccount(visit)}
        <a href="${visit.link('payments')}">All payments</a>
      </p>
    </form>
  </details>`;
}

function field(
  { field: name, label, type, hint }: (typeof INPUTS)[number],
  { typed, problems }: PaymentsQuery,
): Html {
  const problem = problems[name];
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      value="${typed[name].slice(0, 500)}"
      placeholder="${hint}"
      autocomplete="off"
      ${problem && html`aria-invalid="true" aria-describedby="${name}-problem"`}
    />
    ${problem && html`<p class="field-error" id="${name}-problem">${problem}</p>`}
  </div>`;
}

/** A button to the next page of a search by phone number. It is a form, so that no address contains the number. */
export function nextPageForm(visit: Visit, { typed, states }: PaymentsQuery, next: string): Html {
  const hidden = (name: FilterField | 'after', value: string): Html =>
    html`<input type="hidden" name="${name}" value="${value}" />`;
  return html`<form class="pager" method="post" action="${visit.link('payments/search')}">
    ${Object.entries(typed)
      .filter(([, value]) => value !== '')
      .map(([name, value]) => hidden(name as FilterField, value))}
    ${states.map((name) => hidden('state', name))} ${hidden('after', next)}
    <button>Next page</button> ${inAccount(visit)}
  </form>`;
}
