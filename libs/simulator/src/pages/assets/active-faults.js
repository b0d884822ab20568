// The list of the faults that are active, each with a button that ends it.
import { byId, element, visible } from './element.js';
import {
  changeFaults,
  describe,
  endFault,
  isActive,
  onFaults,
  refreshFaults,
} from './fault-settings.js';
import { merchant } from './merchant.js';
import { call } from './platform.js';

/** @typedef {import('../../faults/faults.service.js').FaultSetting} FaultSetting */

const section = byId('active-faults', HTMLElement);
const list = byId('active-list', HTMLElement);

/** @param {FaultSetting} setting */
function item(setting) {
  const { kind, match } = setting;
  const of = match.merchant ?? '';
  return element(
    'li',
    {},
    element('code', {}, kind),
    element(
      'span',
      { class: 'active__how' },
      visible(describe(setting).filter(Boolean).join(' · ')),
    ),
    element(
      'button',
      {
        type: 'button',
        class: 'button button--small button--quiet',
        'aria-label': `End the active fault ${kind}${of && ` of ${of}`}`,
        click: () => endFault(kind, of),
      },
      'End',
    ),
  );
}

onFaults((settings) => {
  const active = settings.filter(isActive);
  const hadFocus = section.contains(document.activeElement);
  list.replaceChildren(...active.map(item));
  section.hidden = active.length === 0;
  // The button that had the focus is gone.
  if (hadFocus && !section.contains(document.activeElement)) {
    (list.querySelector('button') ?? byId('main', HTMLElement)).focus();
  }
});

byId('end-faults', HTMLButtonElement).addEventListener('click', () => {
  const query = merchant === '' ? '' : `?merchant=${encodeURIComponent(merchant)}`;
  void changeFaults(() => call('DELETE', `/faults${query}`), 'All faults are off.');
});

void refreshFaults();
