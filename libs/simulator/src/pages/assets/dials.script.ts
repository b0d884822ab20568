/** What the browser loads as `dials.js`: text, so that it is there from the source, the build and the package alike. */
export const DIALS_SCRIPT = String.raw`import { onEntries } from './journal.js';
import { attempt, tell } from './news.js';
import { ask } from './platform.js';

const phone = document.getElementById('match-phone');
const delivery = document.getElementById('match-delivery');
const dials = [...document.querySelectorAll('[data-kind]')];
let settings = new Map();

const percent = (rate) => Number((rate * 100).toFixed(2)) + ' %';

/** Whom a dial strikes; requests are neither callbacks nor webhooks. */
function matchOf(dial) {
  const match = {};
  if (phone.value.trim() !== '') match.phone = phone.value.trim();
  if (delivery.value !== '' && ['delivery', 'attempt', 'content'].includes(dial.dataset.place))
    match.delivery = delivery.value;
  return match;
}

async function refresh() {
  const answer = await ask('GET', '/faults').catch((error) => tell(error.message, true));
  if (!answer) return;
  settings = new Map(answer.settings.map((setting) => [setting.kind, setting]));
  for (const dial of dials) show(dial);
  for (const group of document.querySelectorAll('[data-group]')) {
    const set = group.querySelectorAll('.dial--set').length;
    group.querySelector('[data-set]').textContent = set > 0 ? set + ' set' : '';
  }
}

function show(dial) {
  const { rate = 0, once = 0, struck = 0, match = {} } = settings.get(dial.dataset.kind) || {};
  const slider = dial.querySelector('input');
  // A hand on the slider knows better.
  if (document.activeElement !== slider || Math.round(rate * 100) === 0)
    slider.value = String(Math.round(rate * 100));
  slider.setAttribute('aria-valuetext', percent(rate));
  dial.querySelector('output').textContent = percent(rate);
  dial.classList.toggle('dial--set', rate > 0 || once > 0);
  dial.querySelector('[data-struck]').textContent = [
    once > 0 ? once + ' to come' : '',
    struck > 0 ? 'struck ' + struck + '×' : '',
    ...(rate > 0 ? Object.values(match).map((wanted) => 'only ' + wanted) : []),
  ]
    .filter(Boolean)
    .join(' · ');
}

for (const dial of dials) {
  const { kind } = dial.dataset;
  const slider = dial.querySelector('input');
  slider.addEventListener('input', () => {
    dial.querySelector('output').textContent = slider.value + ' %';
    slider.setAttribute('aria-valuetext', slider.value + ' %');
  });
  slider.addEventListener('change', async () => {
    const rate = Number(slider.value) / 100;
    const { options = {} } = settings.get(kind) || {};
    await attempt(
      () => ask('PUT', '/faults/' + kind, { rate, options, match: matchOf(dial) }),
      kind + (rate > 0 ? ' strikes ' + percent(rate) + ' of the time.' : ' is off.'),
    );
    await refresh();
  });
  dial.querySelector('button').addEventListener('click', async () => {
    await attempt(
      () => ask('POST', '/faults/' + kind + '/once', { match: matchOf(dial) }),
      kind + ' strikes once, the next that it can.',
    );
    await refresh();
  });
}

document.getElementById('clear-faults').addEventListener('click', async () => {
  await attempt(() => ask('DELETE', '/faults'), 'All faults are off.');
  await refresh();
});

let due = null;
onEntries((entries) => {
  const isStruck = entries.some(
    ({ faults, detail }) => faults?.length > 0 || detail?.includes('fault:'),
  );
  if (isStruck)
    due ??= setTimeout(() => {
      due = null;
      void refresh();
    }, 300);
});

void refresh();
`;
