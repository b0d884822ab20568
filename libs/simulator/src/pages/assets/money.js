// The money page of the control room.
import './clock.js';
import { byId, element, visible } from './element.js';
import { merchant, ofMerchant } from './merchant.js';
import { minorText } from './minor-text.js';
import { call } from './platform.js';
import { attempt } from './status.js';

/** @typedef {import('../../balances/books.service.js').Balance} Balance */

const none = byId('balances-none', HTMLElement);

/** @param {Balance} balance */
function balanceRow({ account, currency, balance, reserved }) {
  const note = reserved > 0 ? ` (${minorText(reserved, currency)} reserved)` : '';
  return [
    element('dt', {}, visible(account)),
    element('dd', {}, minorText(balance, currency) + note),
  ];
}

async function showBalances() {
  const balances = await attempt(
    () => call('GET', ofMerchant('/balances')),
    (all) => `${all.length} balances${merchant && ` of ${merchant}`}.`,
  );
  none.hidden = balances !== undefined && balances.length > 0;
  none.textContent = balances
    ? 'No account has moved money yet.'
    : 'The simulator did not give the balances. Read them again.';
  if (!balances) return;
  byId('balances-list', HTMLElement).replaceChildren(...balances.flatMap(balanceRow));
}

void showBalances();
byId('balances-refresh', HTMLElement).addEventListener('click', () => void showBalances());

const till = byId('till-form', HTMLFormElement);
till.addEventListener('submit', (event) => {
  event.preventDefault();
  const filled = Object.fromEntries(
    [...new FormData(till)].filter(([, value]) => typeof value === 'string' && value.trim() !== ''),
  );
  void attempt(
    () => call('POST', '/till-payments', { ...filled, amount: Number(filled['amount']) }),
    (paid) => `Paid into till ${paid.tillNumber}: reference ${paid.reference}.`,
  );
});

const form = byId('payout-form', HTMLFormElement);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  const destination = byId('payout-number', HTMLInputElement).value.trim();
  const scenario = byId('payout-scenario', HTMLSelectElement).value;
  const path = `/payout-scenarios/${encodeURIComponent(destination)}`;
  void attempt(
    () => (scenario === '' ? call('DELETE', path) : call('PUT', path, { scenario })),
    scenario === ''
      ? `The last two digits of ${visible(destination)} choose what happens to payouts.`
      : `Payouts to ${visible(destination)}: ${scenario}.`,
  );
});
