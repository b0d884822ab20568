import { allWithin, byId } from './element.js';
import { call } from './platform.js';
import { attempt } from './status.js';

const clock = byId('clock', HTMLElement);

// How far the simulator's clock is ahead of this machine's, in milliseconds.
let offset = 0;

/** @param {number} now the simulator's time, in milliseconds since 1970 */
export function setSimulatedNow(now) {
  offset = now - Date.now();
}

export async function readClock() {
  const read = await attempt(() => call('GET', '/clock'));
  if (read) setSimulatedNow(read.now);
  showTime();
}

function showTime() {
  const options = /** @type {const} */ ({
    dateStyle: 'medium',
    timeStyle: 'medium',
    hour12: false,
  });
  clock.textContent = new Date(Date.now() + offset).toLocaleString('en', options);
}

/** @param {HTMLElement} button */
async function advance(button) {
  const ms = Number(button.dataset['advance']);
  const duration = String(button.textContent).trim().replace('+', '');
  await attempt(
    () => call('POST', '/clock/advance', { ms }),
    `The clock moved by ${duration}. The simulator has run everything that was due.`,
  );
  await readClock();
}

for (const button of allWithin(document, '[data-advance]')) {
  button.addEventListener('click', () => void advance(button));
}
setInterval(showTime, 1000);
