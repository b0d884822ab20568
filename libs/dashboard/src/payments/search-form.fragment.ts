import { html, type Html } from '@tillkit/pages';
import { inAccount } from '../html/account.fragment.js';
import { PAYMENT_STATES } from '../html/state.fragment.js';
import type { Words } from '../words/english.words.js';
import type { Visit } from '../web/visit.dto.js';
import type { FilterField, PaymentsQuery } from './payments-query.dto.js';

interface Input {
  field: Exclude<FilterField, 'state'>;
  label: string;
  type: 'tel' | 'text' | 'datetime-local';
  hint?: string;
}

function inputsOf({ search }: Words['payments']): Input[] {
  return [
    { field: 'phone', label: search.phone, type: 'tel', hint: search.phoneHint },
    { field: 'reference', label: search.reference, type: 'text' },
    { field: 'key', label: search.orderNumber, type: 'text' },
    { field: 'platformId', label: search.platformId, type: 'text' },
    { field: 'from', label: search.from, type: 'datetime-local' },
    { field: 'to', label: search.to, type: 'datetime-local' },
  ];
}

/** The search form. It is posted, so that no address contains a phone number. */
export function searchForm(visit: Visit, query: PaymentsQuery, isOpen: boolean): Html {
  const { states, problems } = query;
  const { common, payments, states: names } = visit.words;
  return html`<details class="filter" ${isOpen && html`open`}>
    <summary>${payments.search.title}</summary>
    <form method="post" action="${visit.link('payments/search')}">
      <div class="fields">${inputsOf(payments).map((input) => field(input, query))}</div>
      <fieldset class="choices" ${problems.state && html`aria-describedby="state-problem"`}>
        <legend>${common.state}</legend>
        ${PAYMENT_STATES.map(
          (name) =>
            html`<label
              ><input
                type="checkbox"
                name="state"
                value="${name}"
                ${states.includes(name) && html`checked`}
              />${names[name]}</label
            >`,
        )}
        ${problems.state && html`<p class="field-error" id="state-problem">${problems.state}</p>`}
      </fieldset>
      <p class="actions">
        <button>${common.apply}</button> ${inAccount(visit)}
        <a href="${visit.link('payments')}">${payments.all}</a>
      </p>
    </form>
  </details>`;
}

function field(
  { field: name, label, type, hint }: Input,
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
    <button>${visit.words.common.nextPage}</button> ${inAccount(visit)}
  </form>`;
}
