/** What the browser loads as `control.js`: text, so that it is there from the source, the build and the package alike. */
export const CONTROL_SCRIPT = String.raw`import './dials.js';
import { start } from './journal.js';
import { attempt, tell } from './news.js';
import { ask, keepTime, simulatedNow } from './platform.js';

const clock = document.getElementById('clock');

function tick() {
  const now = new Date(simulatedNow());
  clock.textContent = now.toLocaleTimeString([], { hour12: false });
  document.getElementById('date').textContent = now.toLocaleDateString('en', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  });
}

for (const button of document.querySelectorAll('[data-advance]')) {
  button.addEventListener('click', async () => {
    const moved = await attempt(
      () => ask('POST', '/clock/advance', { ms: Number(button.dataset.advance) }),
      'The clock moved by ' +
        button.textContent.trim().replace('+', '') +
        '; what became due has happened.',
    );
    if (moved) keepTime(moved.now);
    tick();
  });
}

const till = document.getElementById('till-form');
till.addEventListener('submit', async (event) => {
  event.preventDefault();
  const given = Object.fromEntries(
    [...new FormData(till)].filter(([, value]) => value.trim() !== ''),
  );
  await attempt(
    () => ask('POST', '/till-payments', { ...given, amount: Number(given.amount) }),
    (paid) => 'Paid into till ' + paid.tillNumber + ': reference ' + paid.reference + '.',
  );
});

async function begin() {
  const { now } = await ask('GET', '/clock');
  keepTime(now);
  tick();
  setInterval(tick, 1000);
  await start();
}

void begin().catch((error) => tell(error.message, true));
`;
