import { byId } from './element.js';
import { call } from './platform.js';
import { attempt } from './status.js';

const form = document.getElementById('link-form');

/** @param {HTMLFormElement} payment */
async function pay(payment) {
  const id = encodeURIComponent(String(payment.dataset['link']));
  const phoneNumber = byId('link-phone', HTMLInputElement).value;
  const paid = await attempt(
    () => call('POST', `/links/${id}/pay`, { phoneNumber }),
    ({ reference }) => `Paid: reference ${reference}.`,
  );
  payment.hidden = paid !== undefined;
}

if (form instanceof HTMLFormElement) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void pay(form);
  });
}
