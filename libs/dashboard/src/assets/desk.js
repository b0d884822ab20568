// This script runs on every page. Every page works without it: then times are in UTC, and there are no shortcuts.

const desk = /** @type {HTMLElement | null} */ (document.querySelector('[data-desk]'));

/** Sends the time zone of this browser, and loads the page again in it, once. */
function sendTimeZone() {
  const { zone: shown, root = '' } = desk?.dataset ?? {};
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  if (shown === undefined || shown === timeZone) return;
  const path = new URL(root || '.', location.href).pathname;
  document.cookie = `tillkit-time-zone=${encodeURIComponent(timeZone)}; Path=${path}; Max-Age=31536000; SameSite=Strict`;
  // A browser without cookies would load the page for ever, and so would one whose zone the server does not know.
  const sent = `tillkit-time-zone-sent ${timeZone}`;
  if (sessionStorage.getItem(sent) !== null) return;
  sessionStorage.setItem(sent, 'yes');
  location.reload();
}

try {
  sendTimeZone();
} catch {
  // A browser that stores nothing shows the times in the zone of the server. Everything else works.
}

/**
 * Runs the shortcuts: `/` goes to the search, `j` and `k` to the next and the previous row, `Enter` opens the row.
 * @param {KeyboardEvent} event
 */
function shortcut(event) {
  const { key, target } = event;
  const isTyping = target instanceof Element && target.closest('input, textarea, select') !== null;
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  if (key === '/') {
    const find = document.getElementById('find');
    if (!find) return;
    find.focus();
    event.preventDefault();
  }
  if (key === 'j' || key === 'k') goToRow(key === 'j' ? 1 : -1);
}

/**
 * The link of a row has the focus, so that `Enter` opens it and a screen reader says it.
 * @param {1 | -1} step
 */
function goToRow(step) {
  const links = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('.row-link')]);
  const now = links.findIndex((link) => link === document.activeElement);
  const next = now === -1 ? (step === 1 ? 0 : links.length - 1) : now + step;
  links[Math.min(Math.max(next, 0), links.length - 1)]?.focus();
}

document.addEventListener('keydown', shortcut);

// Without this script the link of a row covers the row, and no text of the row can be selected.
document.documentElement.dataset['rows'] = 'open';

/**
 * Returns the link of the row that is clicked, unless something of its own is clicked.
 * @param {MouseEvent} event
 */
function linkOfRow({ target }) {
  if (!(target instanceof Element) || target.closest('a, button, summary, input')) return null;
  return /** @type {HTMLAnchorElement | null} */ (
    target.closest('.list tr')?.querySelector('.row-link') ?? null
  );
}

/**
 * Opens a row as a click on its link would. A drag that selects text ends with a click too.
 * @param {MouseEvent} event
 */
function openRow(event) {
  const link = linkOfRow(event);
  if (!link) return;
  if (event.button === 1 || event.ctrlKey || event.metaKey) open(link.href);
  else if (event.button === 0 && getSelection()?.isCollapsed !== false) link.click();
}

document.addEventListener('click', openRow);
document.addEventListener('auxclick', openRow);
// Without this the middle button would scroll.
document.addEventListener('mousedown', (event) => {
  if (event.button === 1 && linkOfRow(event)) event.preventDefault();
});

/** Within this time a second send is the second click of a double click. Later, a form that gets a file can be sent again. */
const SENT_FOR_MS = 5_000;
/** @type {WeakSet<EventTarget>} */
const sent = new WeakSet();

document.addEventListener('submit', (event) => {
  const { target: form } = event;
  if (!(form instanceof HTMLFormElement) || form.method !== 'post') return;
  if (sent.has(form)) {
    event.preventDefault();
    return;
  }
  sent.add(form);
  setTimeout(() => sent.delete(form), SENT_FOR_MS);
});

// On a phone the sections stand in one line that scrolls, so we scroll to the current one.
document
  .querySelector('.menu [aria-current]')
  ?.scrollIntoView({ block: 'nearest', inline: 'center' });

/** @typedef {{ name: string, query: string }} View a filter that this browser has saved under a name */

/**
 * @param {string} key
 * @returns {View[]}
 */
function viewsOf(key) {
  try {
    /** @type {unknown} */
    const stored = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isView) : [];
  } catch {
    return [];
  }
}

/**
 * @param {Partial<View> | null} stored
 * @returns {stored is View}
 */
function isView(stored) {
  return typeof stored?.name === 'string' && typeof stored.query === 'string';
}

/** Shows the saved views of a list, and a form that saves the present one. */
function showViews() {
  const place = /** @type {HTMLElement | null} */ (document.querySelector('[data-views]'));
  if (!place) return;
  const { views: list, save = '', name: label = '', remove = '', keep = '' } = place.dataset;
  const key = `tillkit-views ${list}`;
  const current = new URLSearchParams(location.search);
  current.delete('after');
  current.delete('notice');
  const query = current.toString();
  const views = viewsOf(key);
  /** @param {View[]} next */
  const store = (next) => {
    try {
      localStorage.setItem(key, JSON.stringify(next));
    } catch {
      // A browser that stores nothing keeps no views.
    }
    showViews();
  };
  const chips = views.map((view) => {
    const chip = document.createElement('span');
    chip.className = 'chip';
    const link = document.createElement('a');
    link.href = `?${view.query}`;
    link.textContent = view.name;
    if (view.query === query) link.setAttribute('aria-current', 'true');
    const button = document.createElement('button');
    button.className = 'chip__remove';
    button.type = 'button';
    button.textContent = '×';
    button.setAttribute('aria-label', `${remove}: ${view.name}`);
    button.addEventListener('click', () =>
      store(viewsOf(key).filter(({ name }) => name !== view.name)),
    );
    chip.append(link, button);
    return chip;
  });
  const isNew = query !== '' && !views.some((view) => view.query === query);
  place.replaceChildren(...chips, ...(isNew ? [formOf()] : []));
  place.hidden = place.childElementCount === 0;

  function formOf() {
    const details = document.createElement('details');
    details.className = 'save-view';
    const summary = document.createElement('summary');
    summary.textContent = save;
    const form = document.createElement('form');
    const input = document.createElement('input');
    input.setAttribute('aria-label', label);
    input.placeholder = label;
    input.maxLength = 60;
    input.required = true;
    const button = document.createElement('button');
    button.textContent = keep;
    form.append(input, button);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const name = input.value.trim();
      if (name !== '')
        store([...viewsOf(key).filter((view) => view.name !== name), { name, query }]);
    });
    details.append(summary, form);
    return details;
  }
}

showViews();
