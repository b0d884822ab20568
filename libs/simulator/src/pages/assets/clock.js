import { allWithin, byId, messageOf } from './element.js';
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

async function begin() {
  const { now } = await call('GET', '/clock');
  setSimulatedNow(now);
  showTime();
  setInterval(showTime, 1000);
}

void begin().catch((error) => announce(messageOf(error), true));
