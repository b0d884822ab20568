import { allWithin, byId, messageOf, within } from './element.js';
import { onEntries } from './journal.js';
import { merchant } from './merchant.js';
import { call } from './platform.js';
import { announce, attempt } from './status.js';

/**
 * @typedef {import('../../faults/faults.service.js').FaultSetting} FaultSetting
 * @typedef {import('../../faults/fault.subject.js').FaultSubject} FaultSubject
 */

const REFRESH_MS = 300;

const phone = byId('match-phone', HTMLInputElement);
const delivery = byId('match-delivery', HTMLSelectElement);
const controls = allWithin(document, '[data-kind]');

/** @type {Map<string, FaultSetting>} */
let settings = new Map();

/** @param {number} rate */
const percent = (rate) => `${Number((rate * 100).toFixed(2))} %`;

/** @param {HTMLElement} control */
const kindOf = (control) => String(control.dataset['kind']);

/**
 * The matcher of a fault, from the form. Only faults of deliveries distinguish callbacks and webhooks.
 * @param {HTMLElement} control
 */
function matchOf(control) {
  /** @type {FaultSubject} */
  const match = merchant === '' ? {} : { merchant };
  const isOfDeliveries = ['delivery', 'attempt', 'content'].includes(
    String(control.dataset['target']),
  );
  if (phone.value.trim() !== '') match.phone = phone.value.trim();
  if (delivery.value !== '' && isOfDeliveries) match.delivery = delivery.value;
  return match;
}

/** @param {HTMLElement} control */
const sliderOf = (control) => within(control, 'input[type=range]', HTMLInputElement);

/**
 * The fields of a fault's parameters.
 * @param {HTMLElement} control
 */
const parametersOf = (control) =>
  allWithin(control, '[data-parameter]').filter((field) => field instanceof HTMLInputElement);

/**
 * The parameters of a fault, from the form; null when one is wrong. The browser shows which.
 * @param {HTMLElement} control
 */
function optionsOf(control) {
  /** @type {Record<string, unknown>} */
  const options = {};
  for (const field of parametersOf(control)) {
    if (!field.reportValidity()) return null;
    const name = String(field.dataset['parameter']);
    if (field.type === 'checkbox') options[name] = field.checked;
    else if (field.value !== '') {
      options[name] = field.type === 'number' ? field.valueAsNumber : field.value;
    }
  }
  return options;
}

async function refresh() {
  /** @type {{ settings: FaultSetting[] }} */
  let answer;
  try {
    answer = await call('GET', '/faults');
  } catch (error) {
    announce(messageOf(error), true);
    return;
  }
  settings = new Map(
    answer.settings
      .filter(({ match }) => (match.merchant ?? '') === merchant)
      .map((setting) => [setting.kind, setting]),
  );
  for (const control of controls) show(control);
  for (const group of allWithin(document, '[data-group]')) {
    const count = group.querySelectorAll('.fault--set').length;
    within(group, '[data-set]', HTMLElement).textContent = count > 0 ? `${count} set` : '';
  }
}

/** @param {HTMLElement} control */
function show(control) {
  const setting = settings.get(kindOf(control));
  const { rate = 0, once = 0, injected = 0, match = {} } = setting ?? {};
  const slider = sliderOf(control);
  const value = String(Math.round(rate * 100));
  // Do not move a slider while somebody uses it.
  if (document.activeElement !== slider || value === '0') slider.value = value;
  if (rate > 0) showParameters(control, setting?.options ?? {});
  slider.setAttribute('aria-valuetext', percent(rate));
  within(control, 'output', HTMLElement).textContent = percent(rate);
  control.classList.toggle('fault--set', rate > 0 || once > 0);
  within(control, '[data-count]', HTMLElement).textContent = [
    once > 0 ? `${once} pending` : '',
    injected > 0 ? `injected ${injected}×` : '',
    ...(rate > 0 ? Object.values(match).map((only) => `only ${only}`) : []),
  ]
    .filter(Boolean)
    .join(' · ');
}

/**
 * @param {HTMLElement} control
 * @param {FaultSetting['options']} options
 */
function showParameters(control, options) {
  const values = new Map(Object.entries(options));
  for (const field of parametersOf(control)) {
    if (document.activeElement === field) continue;
    const value = values.get(String(field.dataset['parameter']));
    if (field.type === 'checkbox') field.checked = value === true;
    else field.value = value === undefined ? '' : String(value);
  }
}

/**
 * @param {() => Promise<unknown>} action
 * @param {string} outcome
 */
async function change(action, outcome) {
  await attempt(action, outcome);
  await refresh();
}

for (const control of controls) {
  const kind = kindOf(control);
  const slider = sliderOf(control);
  slider.addEventListener('input', () => {
    within(control, 'output', HTMLElement).textContent = `${slider.value} %`;
    slider.setAttribute('aria-valuetext', `${slider.value} %`);
  });
  const setRate = () => {
    const rate = Number(slider.value) / 100;
    const options = optionsOf(control);
    if (!options) return;
    void change(
      () => call('PUT', `/faults/${kind}`, { rate, options, match: matchOf(control) }),
      rate > 0
        ? `The simulator injects ${kind} with a probability of ${percent(rate)}.`
        : `${kind} is off.`,
    );
  };
  slider.addEventListener('change', setRate);
  for (const field of parametersOf(control)) {
    field.addEventListener('change', () => {
      if (slider.value !== '0') setRate();
    });
  }
  within(control, 'button', HTMLButtonElement).addEventListener('click', () => {
    const options = optionsOf(control);
    if (!options) return;
    void change(
      () => call('POST', `/faults/${kind}/once`, { options, match: matchOf(control) }),
      `The simulator injects ${kind} once, at the next match.`,
    );
  });
}

byId('clear-faults', HTMLButtonElement).addEventListener('click', () => {
  void change(() => call('DELETE', '/faults'), 'All faults are off.');
});

/** @type {ReturnType<typeof setTimeout> | null} */
let due = null;
onEntries((entries) => {
  const hasFault = entries.some((entry) =>
    entry.type === 'note' ? entry.detail.includes('fault:') : entry.faults.length > 0,
  );
  if (!hasFault) return;
  due ??= setTimeout(() => {
    due = null;
    void refresh();
  }, REFRESH_MS);
});

void refresh();
