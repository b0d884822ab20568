import { html, type Html } from '@tillkit/pages';
import { inAccount } from '../html/account.fragment.js';
import { maskPhone } from '../html/phone.format.js';
import { plainText } from '../html/text.fragment.js';
import type { LinkQuery, Visit } from '../web/visit.dto.js';
import type { ListDefinition, ListField } from './list.definition.js';
import { isPrivate, linkQueryOf, type ListQuery } from './list.query.js';
import { usualTimes } from './usual-times.js';
import { WORDS } from '../words/english.words.js';

/** Returns the filter of a list. Its states and usual times are links, each chosen value has a link that removes it, and a form has the rest. */
export function filterBar<F, T>(
  visit: Visit,
  definition: ListDefinition<F, T>,
  query: ListQuery<F>,
): Html {
  const hasProblem = Object.keys(query.problems).length > 0;
  return html`<div class="filters">
    ${stateTabs(visit, definition, query)}
    ${query.problems['state'] && html`<p class="field-error">${query.problems['state']}</p>`}
    ${timeTabs(visit, definition, query)}
    <details class="filter" ${hasProblem && html`open`}>
      <summary>More filters</summary>
      ${form(visit, definition, query)}
    </details>
    ${chosen(visit, definition, query)} ${savedViews(visit, definition, query)}
  </div>`;
}

/** Repeats a filter in hidden fields of a form, so that no address contains it. */
export function hiddenFields({ typed, states }: ListQuery<unknown>): Html {
  const pairs = [...Object.entries(typed), ...states.map((state) => ['state', state] as const)];
  return html`${pairs.map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  )}`;
}

function stateTabs<F, T>(
  visit: Visit,
  definition: ListDefinition<F, T>,
  query: ListQuery<F>,
): Html | null {
  if (definition.states.length === 0) return null;
  const { common } = WORDS;
  const { state: _, ...others } = linkQueryOf(definition, query) as Record<string, string>;
  const tab = (name: string, state: string | undefined): Html => {
    const isCurrent =
      state === undefined ? query.states.length === 0 : query.states.includes(state);
    return html`<a
      href="${visit.link(definition.path, { ...others, state })}"
      ${isCurrent && html`aria-current="true"`}
      >${name}</a
    >`;
  };
  return html`<nav class="tabs" aria-label="${common.state}">
    ${tab('All', undefined)} ${definition.states.map(({ value, label }) => tab(label, value))}
  </nav>`;
}

/** Offers today and the days before it, in the time zone of the page. */
function timeTabs<F, T>(visit: Visit, definition: ListDefinition<F, T>, query: ListQuery<F>): Html {
  const { lists } = WORDS;
  const { from: _from, to: _to, ...others } = linkQueryOf(definition, query) as LinkQuery & object;
  return html`<nav class="tabs" aria-label="Time">
    ${usualTimes(visit.times, new Date()).map(({ name, from, to }) => {
      const isCurrent = query.typed['from'] === from && query.typed['to'] === to;
      const link = visit.link(definition.path, isCurrent ? others : { ...others, from, to });
      return html`<a href="${link}" ${isCurrent && html`aria-current="true"`}
        >${lists.times[name]}</a
      >`;
    })}
  </nav>`;
}

/** Shows each chosen field with a link to the list without it. */
function chosen<F, T>(
  visit: Visit,
  definition: ListDefinition<F, T>,
  query: ListQuery<F>,
): Html | null {
  const { fields } = definition;
  const entries = fields.filter(({ name }) => query.typed[name] !== undefined);
  if (entries.length === 0) return null;
  const all = linkQueryOf(definition, query);
  // An address must not name a person, so a filter that names one has no such links. It can only be removed as a whole.
  const isPosted = isPrivate(definition, query);
  return html`<ul class="chosen" aria-label="Filters">
    ${entries.map((field) => {
      const { [field.name]: _, ...rest } = all;
      const shown = html`${field.label}:
        <b>${shownValue(field, query.typed[field.name] ?? '')}</b>`;
      return isPosted
        ? html`<li><span class="chip">${shown}</span></li>`
        : html`<li>
            <a class="chip" href="${visit.link(definition.path, rest)}"
              >${shown}<span aria-hidden="true"> ×</span
              ><span class="visually-hidden">remove this filter</span></a
            >
          </li>`;
    })}
    <li><a href="${visit.link(definition.path)}">Clear all</a></li>
  </ul>`;
}

function shownValue<F>({ input, isPrivate }: ListField<F>, value: string): string {
  if (typeof input === 'object') return input.find((choice) => choice.value === value)?.label ?? '';
  return isPrivate && input === 'tel' ? maskPhone(value) : plainText(value, 60);
}

/** A script stores and shows the views that this browser has saved. Without the script, people can use a bookmark. */
function savedViews<F, T>(
  visit: Visit,
  definition: ListDefinition<F, T>,
  query: ListQuery<F>,
): Html | null {
  if (isPrivate(definition, query)) return null;
  return html`<div
    id="views"
    class="views"
    data-views="${visit.account.name} ${definition.path}"
    data-save="Save this view"
    data-name="Name of the view"
    data-remove="Remove this view"
    data-keep="Save"
    hidden
  ></div>`;
}

function form<F, T>(visit: Visit, definition: ListDefinition<F, T>, query: ListQuery<F>): Html {
  const { common } = WORDS;
  return html`<form method="post" action="${visit.link(`${definition.path}/search`)}">
    ${query.states.map((state) => html`<input type="hidden" name="state" value="${state}" />`)}
    <div class="fields">${definition.fields.map((one) => field(one, query))}</div>
    <p class="actions"><button>${common.apply}</button> ${inAccount(visit)}</p>
  </form>`;
}

function field<F>(
  { name, label, input, hint }: ListField<F>,
  { typed, problems }: ListQuery<F>,
): Html {
  const problem = problems[name];
  const id = `filter-${name}`;
  const value = (typed[name] ?? '').slice(0, 500);
  return html`<div class="field">
    <label for="${id}">${label}</label>
    ${
      typeof input === 'object'
        ? html`<select
            id="${id}"
            name="${name}"
            ${problem && html`aria-invalid="true" aria-describedby="${id}-problem"`}
          >
            <option value="">Any</option>
            ${input.map(
              (choice) =>
                html`<option value="${choice.value}" ${choice.value === value && html`selected`}>
                  ${choice.label}
                </option>`,
            )}
          </select>`
        : html`<input
            id="${id}"
            name="${name}"
            type="${input === 'amount' ? 'text' : input}"
            ${input === 'amount' && html`inputmode="decimal"`}
            value="${input === 'datetime-local' && value.length === 10 ? `${value}T00:00` : value}"
            placeholder="${hint}"
            autocomplete="off"
            ${problem && html`aria-invalid="true" aria-describedby="${id}-problem"`}
          />`
    }
    ${problem && html`<p class="field-error" id="${id}-problem">${problem}</p>`}
  </div>`;
}
