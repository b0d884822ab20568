// The faults that are active, and the form that starts one.
import { allWithin, byId, element, visible } from './element.js';
import { call, merchant } from './platform.js';
import { attempt } from './status.js';

/**
 * @typedef {import('../../faults/faults.service.js').FaultSetting} FaultSetting
 * @typedef {import('../../faults/fault-subject.js').FaultSubject} FaultSubject
 * @typedef {import('../../journal/journal-entry.js').JournalEntry} JournalEntry
 */

const REFRESH_MS = 300;

const form = byId('fault-form', HTMLFormElement);
const fault = byId('fault', HTMLSelectElement);
const phone = byId('fault-phone', HTMLInputElement);
const scope = byId('fault-scope', HTMLSelectElement);
const rate = byId('fault-rate', HTMLInputElement);
const active = byId('active-faults', HTMLElement);
const list = byId('active-list', HTMLElement);

const chosen = () => fault.selectedOptions[0]?.dataset ?? {};

/** Shows the fields that the chosen fault uses, with its defaults. */
function showFields() {
  const { what = '', target, scopes = '', parameters = '{}' } = chosen();
  byId('fault-what', HTMLElement).textContent = what;
  const values = new Map(Object.entries(JSON.parse(parameters)));
  for (const field of allWithin(form, '[data-field]')) {
    field.hidden = !values.has(String(field.dataset['field']));
  }
  for (const input of parameterInputs()) {
    const value = values.get(String(input.dataset['parameter']));
    input.checked = value === true;
    input.value = String(value ?? '');
  }
  scope.value = '';
  byId('fault-scope-field', HTMLElement).hidden = scopes === '';
  for (const group of allWithin(scope, 'optgroup')) {
    group.hidden = !scopes.split(' ').includes(String(group.dataset['scope']));
  }
  // A request for a token is about no phone.
  byId('fault-phone-field', HTMLElement).hidden = target === 'token';
}

function parameterInputs() {
  return allWithin(form, '[data-parameter]').filter((input) => input instanceof HTMLInputElement);
}

function optionsOf() {
  /** @type {Record<string, unknown>} */
  const options = {};
  for (const input of parameterInputs()) {
    if (!input.checkVisibility()) continue;
    const name = String(input.dataset['parameter']);
    if (input.type === 'checkbox') options[name] = input.checked;
    else if (input.value !== '') {
      options[name] = input.type === 'number' ? input.valueAsNumber : input.value;
    }
  }
  return options;
}

function matchOf() {
  /** @type {FaultSubject} */
  const match = merchant === '' ? {} : { merchant };
  if (phone.checkVisibility() && phone.value.trim() !== '') match.phone = phone.value.trim();
  const [name, value] = scope.value.split(':');
  if (name === 'delivery' || name === 'resource') match[name] = value;
  return match;
}

/**
 * Changes a fault, announces the outcome and reads the faults again.
 * @param {() => Promise<unknown>} action
 * @param {string} outcome
 */
async function change(action, outcome) {
  await attempt(action, outcome);
  await refreshFaults();
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const kind = fault.value;
  const body = { rate: rate.valueAsNumber / 100, options: optionsOf(), match: matchOf() };
  void change(
    () => call('PUT', `/faults/${kind}`, body),
    `The simulator injects ${kind} with a probability of ${rate.value} %.`,
  );
});

byId('fault-once', HTMLElement).addEventListener('click', () => {
  if (!form.reportValidity()) return;
  const kind = fault.value;
  void change(
    () => call('POST', `/faults/${kind}/once`, { options: optionsOf(), match: matchOf() }),
    `The simulator injects ${kind} once, at the next match.`,
  );
});

byId('end-faults', HTMLElement).addEventListener('click', () => {
  const query = merchant === '' ? '' : `?merchant=${encodeURIComponent(merchant)}`;
  void change(() => call('DELETE', `/faults${query}`), 'All faults are off.');
});

fault.addEventListener('change', showFields);
showFields();

/** Shows the active faults of this page's merchant, or of all. */
export async function refreshFaults() {
  /** @type {{ settings: FaultSetting[] } | undefined} */
  const answer = await attempt(() => call('GET', '/faults'));
  const settings = (answer?.settings ?? []).filter(
    ({ match, rate: rated, once }) =>
      (merchant === '' || match.merchant === merchant) && (rated > 0 || once > 0),
  );
  const hadFocus = active.contains(document.activeElement);
  list.replaceChildren(...settings.map(item));
  active.hidden = settings.length === 0;
  // The button that had the focus is gone.
  if (hadFocus) (list.querySelector('button') ?? fault).focus();
}

/** @param {FaultSetting} setting */
function item(setting) {
  const { kind, match } = setting;
  const of = match.merchant ?? '';
  return element(
    'li',
    { class: 'row' },
    element('code', {}, kind),
    element('span', {}, visible(describe(setting))),
    element(
      'button',
      {
        type: 'button',
        class: 'button button--quiet',
        'aria-label': `End ${kind}${of && ` of ${of}`}`,
        click: () =>
          change(
            () => call('DELETE', `/faults/${kind}?merchant=${encodeURIComponent(of)}`),
            `${kind} is off.`,
          ),
      },
      'End',
    ),
  );
}

/**
 * Describes how a fault is set, in words.
 * @param {FaultSetting} setting
 */
function describe({ rate: rated, once, injected, match }) {
  const parts = [];
  if (rated > 0) {
    parts.push(`${Number((rated * 100).toFixed(2))} %`);
    for (const value of Object.values(match)) parts.push(`only ${value}`);
  }
  if (once > 0) parts.push(`${once} pending`);
  if (injected > 0) parts.push(`injected ${injected}×`);
  return parts.join(' · ');
}

/** @type {ReturnType<typeof setTimeout> | null} */
let due = null;

/**
 * Reads the faults again when one was injected.
 * @param {JournalEntry} entry
 */
export function noticeFaults(entry) {
  const hasFault =
    entry.type === 'note' ? entry.detail.includes('fault:') : entry.faults.length > 0;
  if (!hasFault) return;
  due ??= setTimeout(() => {
    due = null;
    void refreshFaults();
  }, REFRESH_MS);
}
