/** What the browser loads as `journal.js`: text, so that it is there from the source, the build and the package alike. */
export const JOURNAL_SCRIPT = String.raw`import { entryRow, isTrouble, searchableOf } from './entry.js';
import { tell } from './news.js';
import { ask, follow, keepTime } from './platform.js';

/** The list stays this long, so that a page that was forgotten in a tab stays fast. */
const LONGEST = 300;
const FLUSH_MS = 80;

const list = document.getElementById('entries');
const none = document.getElementById('entries-none');
const count = document.getElementById('entries-count');
const search = document.getElementById('search');
const sort = document.getElementById('sort');
const pause = document.getElementById('pause');

const rows = new WeakMap();
let waiting = [];
let missed = 0;
let flushing = null;
let paused = false;
const listeners = [];

/** Calls the listener with what came, a handful at a time. */
export function onEntries(listener) {
  listeners.push(listener);
}

function take(entry) {
  keepTime(Date.parse(entry.at));
  waiting.push(entry);
  if (waiting.length > LONGEST) {
    waiting.shift();
    missed++;
  }
  flushing ??= setTimeout(flush, FLUSH_MS);
}

function flush() {
  flushing = null;
  for (const listener of listeners) listener(waiting);
  if (paused) {
    count.textContent = waiting.length + missed + ' waiting';
    return;
  }
  const added = document.createDocumentFragment();
  for (const entry of waiting) {
    const row = entryRow(entry);
    rows.set(row, { entry, text: searchableOf(entry) });
    row.hidden = !matches(row);
    added.prepend(row);
    for (const place of document.querySelectorAll('[data-delivery]')) {
      if (place.dataset.delivery === entry.deliveryId) place.dispatchEvent(new Event('news'));
    }
  }
  waiting = [];
  missed = 0;
  list.prepend(added);
  // The oldest go, but not what somebody is reading.
  for (let row = list.lastElementChild; row && list.childElementCount > LONGEST;) {
    const before = row.previousElementSibling;
    if (!row.firstElementChild.open) row.remove();
    row = before;
  }
  summarise();
}

function matches(row) {
  const { entry, text } = rows.get(row);
  if (sort.value === 'trouble' ? !isTrouble(entry) : sort.value !== '' && sort.value !== entry.type)
    return false;
  return search.value
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function filter() {
  for (const row of list.children) row.hidden = !matches(row);
  summarise();
}

function summarise() {
  const all = list.childElementCount;
  const shown = [...list.children].filter((row) => !row.hidden).length;
  none.hidden = shown > 0;
  none.textContent =
    all > 0
      ? 'Nothing of what is here matches.'
      : 'Nothing yet. As soon as your application speaks with the platform, it is here.';
  count.textContent =
    (shown < all ? shown + ' of ' + all : all) + (all >= LONGEST ? ', the latest' : '');
}

search.addEventListener('input', filter);
sort.addEventListener('change', filter);
document.getElementById('clear').addEventListener('click', () => {
  list.replaceChildren();
  waiting = [];
  missed = 0;
  summarise();
});
pause.addEventListener('click', () => {
  paused = !paused;
  pause.setAttribute('aria-pressed', String(paused));
  flush();
});

/** Begins with the latest that are kept. */
export async function start() {
  const [latest] = await ask('GET', '/journal?limit=1');
  summarise();
  let isLost = false;
  follow(Math.max(0, (latest?.sequence ?? 0) - LONGEST), {
    onEntry: take,
    onOpen: () => {
      tell(isLost ? 'Live again.' : 'Live: what happens appears by itself.');
      isLost = false;
    },
    onLost: () => {
      isLost = true;
      tell('The simulator is out of reach; trying again.', true);
    },
  });
}
`;
