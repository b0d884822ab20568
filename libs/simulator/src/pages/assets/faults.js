// The faults page of the control room: a form for each fault.
import './clock.js';
import './active-faults.js';
import { allWithin, byId, visible, within } from './element.js';
import {
  changeFaults,
  describe,
  endFault,
  noticeFaults,
  onFaults,
  percent,
  refreshFaults,
} from './fault-settings.js';
import { merchant } from './merchant.js';
import { call, follow } from './platform.js';
import { announce } from './status.js';

/**
 * @typedef {import('../../faults/faults.service.js').FaultSetting} FaultSetting
 * @typedef {import('../../faults/fault.subject.js').FaultSubject} FaultSubject
 */

const phone = byId('match-phone', HTMLInputElement);

/** The form of one fault. */
class FaultForm {
  isOn = false;

  /** @param {HTMLElement} row */
  constructor(row) {
    this.row = row;
    this.kind = String(row.dataset['kind']);
    this.form = within(row, 'form', HTMLFormElement);
    this.rate = within(row, '[data-rate]', HTMLInputElement);
    this.scope = row.querySelector('select');
    this.form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.start();
    });
    // What a person changes while the fault is active counts at once.
    this.form.addEventListener('change', () => {
      if (this.isOn) this.start();
    });
    within(row, '[data-once]', HTMLButtonElement).addEventListener('click', () => this.once());
    this.end = within(row, '[data-end]', HTMLButtonElement);
    this.end.addEventListener('click', () => void endFault(this.kind));
  }

  start() {
    if (!this.form.reportValidity()) return;
    const rate = this.rate.valueAsNumber / 100;
    const body = { rate, options: this.options(), match: this.match() };
    void changeFaults(
      () => call('PUT', `/faults/${this.kind}`, body),
      `The simulator injects ${this.kind} with a probability of ${percent(rate)}.`,
    );
  }

  once() {
    if (!this.form.reportValidity()) return;
    const body = { options: this.options(), match: this.match() };
    void changeFaults(
      () => call('POST', `/faults/${this.kind}/once`, body),
      `The simulator injects ${this.kind} once, at the next match.`,
    );
  }

  parameters() {
    return allWithin(this.row, '[data-parameter]').filter(
      (field) => field instanceof HTMLInputElement,
    );
  }

  options() {
    /** @type {Record<string, unknown>} */
    const options = {};
    for (const field of this.parameters()) {
      const name = String(field.dataset['parameter']);
      if (field.type === 'checkbox') options[name] = field.checked;
      else if (field.value !== '') {
        options[name] = field.type === 'number' ? field.valueAsNumber : field.value;
      }
    }
    return options;
  }

  match() {
    /** @type {FaultSubject} */
    const match = merchant === '' ? {} : { merchant };
    // A request for a token is about no phone.
    if (phone.value.trim() !== '' && this.row.dataset['target'] !== 'token') {
      match.phone = phone.value.trim();
    }
    const [name, value] = this.scope?.value.split(':') ?? [];
    if (name === 'delivery' || name === 'resource') match[name] = value;
    return match;
  }

  /** @param {FaultSetting | undefined} setting */
  show(setting) {
    const { rate = 0, once = 0, options = {}, match = {} } = setting ?? {};
    this.isOn = rate > 0;
    if (this.isOn) this.showFields(rate, options, match);
    const hadFocus = this.row.contains(document.activeElement);
    within(this.row, '[data-start]', HTMLElement).hidden = this.isOn;
    this.end.hidden = !this.isOn;
    // The button that had the focus is gone.
    if (hadFocus && !this.row.contains(document.activeElement)) {
      (this.isOn ? this.end : within(this.row, '[data-start]', HTMLElement)).focus();
    }
    this.row.classList.toggle('fault--set', rate > 0 || once > 0);
    within(this.row, '[data-count]', HTMLElement).textContent = setting
      ? visible(describe(setting).filter(Boolean).join(' · '))
      : '';
  }

  /**
   * Shows how the fault is set, but not in the field that somebody is using.
   * @param {number} rate
   * @param {FaultSetting['options']} options
   * @param {FaultSubject} match
   */
  showFields(rate, options, match) {
    const values = new Map(Object.entries(options));
    for (const field of this.parameters()) {
      if (document.activeElement === field) continue;
      const value = values.get(String(field.dataset['parameter']));
      if (field.type === 'checkbox') field.checked = value === true;
      else field.value = value === undefined ? '' : String(value);
    }
    if (document.activeElement !== this.rate)
      this.rate.value = String(Number((rate * 100).toFixed(2)));
    if (this.scope && document.activeElement !== this.scope) {
      const [limit] = Object.entries(match).filter(
        ([name]) => name === 'delivery' || name === 'resource',
      );
      this.scope.value = limit?.join(':') ?? '';
    }
  }
}

const forms = allWithin(document, '[data-kind]').map((row) => new FaultForm(row));
const groups = allWithin(document, '[data-group]').filter(
  (one) => one instanceof HTMLDetailsElement,
);

onFaults((settings) => {
  for (const form of forms) {
    form.show(
      settings.find(({ kind, match }) => kind === form.kind && (match.merchant ?? '') === merchant),
    );
  }
  for (const group of groups) {
    const count = group.querySelectorAll('.fault--set').length;
    within(group, '[data-set]', HTMLElement).textContent = count > 0 ? `${count} active` : '';
  }
});

const search = byId('find-fault', HTMLInputElement);
search.addEventListener('input', () => {
  const words = search.value.toLowerCase().split(/\s+/);
  for (const { row } of forms) {
    const text = String(row.querySelector('div')?.textContent).toLowerCase();
    row.hidden = !words.every((word) => text.includes(word));
  }
  let found = 0;
  for (const group of groups) {
    const count = group.querySelectorAll('.fault:not([hidden])').length;
    group.hidden = count === 0;
    if (search.value !== '') group.open = count > 0;
    found += count;
  }
  byId('faults-none', HTMLElement).hidden = found > 0;
});

// Only new entries: they tell that a fault was injected.
follow(Number.MAX_SAFE_INTEGER, {
  onOpen: () => {
    announce('Live: the counts change by themselves.');
    void refreshFaults();
  },
  onEntry: (entry) => noticeFaults([entry]),
  onLost: () => announce('The simulator does not respond; trying again.', true),
});
