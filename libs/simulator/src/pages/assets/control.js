import './faults.js';
import './money.js';
import { allWithin, byId, messageOf } from './element.js';
import { start } from './journal.js';
import { call, setSimulatedNow, simulatedNow } from './platform.js';
import { announce, attempt } from './status.js';

const clock = byId('clock', HTMLElement);
const date = byId('date', HTMLElement);

function showTime() {
  const now = new Date(simulatedNow());
  clock.textContent = now.toLocaleTimeString([], { hour12: false });
  date.textContent = now.toLocaleDateString('en', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  });
}

/** @param {HTMLElement} button */
async function advance(button) {
  const duration = String(button.textContent).trim().replace('+', '');
  const moved = await attempt(
    () => call('POST', '/clock/advance', { ms: Number(button.dataset['advance']) }),
    `The clock moved by ${duration}. The simulator has run everything that was due.`,
  );
  if (moved) setSimulatedNow(moved.now);
  showTime();
}

for (const button of allWithin(document, '[data-advance]')) {
  button.addEventListener('click', () => void advance(button));
}

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

async function begin() {
  const { now } = await call('GET', '/clock');
  setSimulatedNow(now);
  showTime();
  setInterval(showTime, 1000);
  await start();
}

void begin().catch((error) => announce(messageOf(error), true));
