import { byId } from './element.js';
import { entryRow, isProblem, searchableOf } from './entry.js';
import { merchant, ofMerchant } from './merchant.js';
import { call, follow, setSimulatedNow } from './platform.js';
import { announce } from './status.js';

/** @typedef {import('../../journal/journal.entry.js').JournalEntry} JournalEntry */

/** The maximum number of rows, so that a tab that stays open for hours is still fast. */
const MAX_ROWS = 300;
const FLUSH_MS = 80;

const list = byId('entries', HTMLOListElement);
const none = byId('entries-none', HTMLElement);
const empty = byId('entries-empty', HTMLElement);
const count = byId('entries-count', HTMLElement);
const search = byId('search', HTMLInputElement);
const filter = byId('filter', HTMLSelectElement);
const pause = byId('pause', HTMLButtonElement);

/** @type {Map<Element, { entry: JournalEntry, text: string }>} */
const shown = new Map();
/** @type {JournalEntry[]} */
let waiting = [];
/** How many entries were dropped while the list was paused. */
let dropped = 0;
/** @type {ReturnType<typeof setTimeout> | null} */
let flushing = null;
let isPaused = false;
/** @type {((entries: readonly JournalEntry[]) => void)[]} */
const listeners = [];

/**
 * Calls the listener with new entries, in batches.
 * @param {(entries: readonly JournalEntry[]) => void} listener
 */
export function onEntries(listener) {
  listeners.push(listener);
}

/** @param {JournalEntry} entry */
function receive(entry) {
  setSimulatedNow(Date.parse(entry.at));
  waiting.push(entry);
  if (waiting.length > MAX_ROWS) {
    waiting.shift();
    dropped += 1;
  }
  flushing ??= setTimeout(flush, FLUSH_MS);
}

function flush() {
  flushing = null;
  for (const listener of listeners) listener(waiting);
  if (isPaused) {
    count.textContent = `${waiting.length + dropped} waiting`;
    return;
  }
  const added = document.createDocumentFragment();
  for (const entry of waiting) {
    const row = entryRow(entry);
    shown.set(row, { entry, text: searchableOf(entry) });
    row.hidden = !matches(row);
    added.prepend(row);
    if (entry.type !== 'request' && entry.deliveryId) refreshDelivery(entry.deliveryId);
  }
  waiting = [];
  dropped = 0;
  list.prepend(added);
  removeOldest();
  summarise();
}

/** @param {string} id */
function refreshDelivery(id) {
  document
    .querySelectorAll(`[data-delivery="${CSS.escape(id)}"]`)
    .forEach((section) => section.dispatchEvent(new Event('delivery-changed')));
}

/** Removes the oldest rows, except open ones, which somebody may be reading. */
function removeOldest() {
  let row = list.lastElementChild;
  while (row && list.childElementCount > MAX_ROWS) {
    const before = row.previousElementSibling;
    if (!row.querySelector('details')?.open) {
      shown.delete(row);
      row.remove();
    }
    row = before;
  }
}

/** @param {Element} row */
function matches(row) {
  const known = shown.get(row);
  if (!known) return false;
  const { entry, text } = known;
  if (filter.value === 'problem' && !isProblem(entry)) return false;
  if (!['', 'problem', entry.type].includes(filter.value)) return false;
  return search.value
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function applyFilter() {
  for (const row of shown.keys()) if (row instanceof HTMLElement) row.hidden = !matches(row);
  summarise();
}

function summarise() {
  const all = list.childElementCount;
  const visible = list.querySelectorAll(':scope > :not([hidden])').length;
  none.hidden = visible > 0 || all === 0;
  none.textContent = 'No entry matches the filter.';
  empty.hidden = all > 0;
  count.textContent =
    (visible < all ? `${visible} of ${all}` : `${all} ${all === 1 ? 'entry' : 'entries'}`) +
    (all >= MAX_ROWS ? ', the latest' : '');
}

search.addEventListener('input', applyFilter);
filter.addEventListener('change', applyFilter);
byId('clear', HTMLButtonElement).addEventListener('click', () => {
  list.replaceChildren();
  shown.clear();
  waiting = [];
  dropped = 0;
  summarise();
});
pause.addEventListener('click', () => {
  isPaused = !isPaused;
  pause.setAttribute('aria-pressed', String(isPaused));
  flush();
});

/** After which entry the latest ones begin that fit the list. */
async function beforeLatest() {
  // Between the entries of one merchant are those of others.
  const [first] = await call('GET', ofMerchant(`/journal?limit=${merchant === '' ? 1 : MAX_ROWS}`));
  const sequence = first?.sequence ?? 0;
  return Math.max(0, merchant === '' ? sequence - MAX_ROWS : sequence - 1);
}

/** Shows the latest entries that the simulator keeps, then each new one. */
export async function start() {
  const after = await beforeLatest();
  summarise();
  let isLost = false;
  follow(after, {
    onEntry: receive,
    onOpen: () => {
      announce(isLost ? 'Live again.' : 'Live: new entries appear by themselves.');
      isLost = false;
    },
    onLost: () => {
      isLost = true;
      announce('The simulator does not respond; trying again.', true);
    },
  });
}
