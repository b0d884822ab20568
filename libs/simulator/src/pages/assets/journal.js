import { byId } from './element.js';
import { entryRow, isProblem } from './entry.js';
import { merchant } from './platform.js';

/** @typedef {import('../../journal/journal-entry.js').JournalEntry} JournalEntry */

/** The maximum number of rows, so that a tab that stays open for hours is still fast. */
const MAX_ROWS = 300;

const list = byId('entries', HTMLOListElement);
const count = byId('entries-count', HTMLElement);
const search = byId('search', HTMLInputElement);
const filter = byId('filter', HTMLSelectElement);

/** @type {Map<HTMLElement, { entry: JournalEntry, text: string }>} */
const shown = new Map();

/** @param {JournalEntry} entry */
export function addEntry(entry) {
  if (merchant !== '' && entry.merchant !== merchant) return;
  const row = entryRow(entry);
  shown.set(row, { entry, text: JSON.stringify(entry).toLowerCase() });
  list.prepend(row);
  removeOldest();
  applyFilter();
}

/** Removes the oldest row that is not open: somebody may be reading an open one. */
function removeOldest() {
  if (shown.size <= MAX_ROWS) return;
  const oldest = [...shown.keys()].find((row) => !row.querySelector('details')?.open);
  if (!oldest) return;
  shown.delete(oldest);
  oldest.remove();
}

function applyFilter() {
  const words = search.value.toLowerCase().split(/\s+/);
  let visible = 0;
  for (const [row, { entry, text }] of shown) {
    const isKind =
      filter.value === 'problem' ? isProblem(entry) : ['', entry.type].includes(filter.value);
    row.hidden = !isKind || !words.every((word) => text.includes(word));
    if (!row.hidden) visible += 1;
  }
  count.textContent = `${visible} of ${shown.size} entries`;
}

search.addEventListener('input', applyFilter);
filter.addEventListener('change', applyFilter);
