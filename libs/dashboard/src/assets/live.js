import { Idiomorph } from './idiomorph.js';

// Keeps a page as it would be after a reload. Without this script the page stays as it was loaded.

/** @typedef {import('../live/live-message.js').LiveMessage} LiveMessage */

/** A page about one payment shows changes of other things this much later, because many come on a busy day. */
const CALM_MS = 10_000;
/** Two loads are at least this far apart, so that a busy day does not keep the page loading. */
const LEAST_MS = 1_000;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;

/** An update does not touch the state of the user: open parts, a form in use, and parts that scripts show. */
const KEEP = {
  /** @param {Node} node */
  beforeNodeMorphed: (node) =>
    !isInUse(node) && !(node instanceof Element && node.matches('[data-live], [data-views]')),
  /** @param {Node} node */
  beforeNodeRemoved: (node) =>
    !(node instanceof Element && [node, ...node.querySelectorAll('form')].some(isInUse)),
  /** @param {string} name */
  beforeAttributeUpdated: (name) => name !== 'open',
};

const line = document.querySelector('[data-live]');
const main = document.querySelector('main');
if (line instanceof HTMLElement && main) start(line, main);

/**
 * @param {HTMLElement} line shows the state
 * @param {HTMLElement} main
 */
function start(line, main) {
  const { live: url = '', about, on = '', off = '', updated = '' } = line.dataset;
  let version = line.dataset['version'] ?? '';
  let shownVersion = version;
  /** @type {EventSource | null} */
  let source = null;
  let failures = 0;
  let loadedAt = performance.now();
  let isLoading = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let retryTimer;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let loadTimer;

  /** @param {boolean} isOn */
  function show(isOn) {
    const state = line.querySelector('[data-state]');
    const text = isOn ? on : off;
    line.hidden = false;
    line.classList.toggle('live--off', !isOn);
    if (state && state.textContent !== text) state.textContent = text;
  }

  function connect() {
    stop();
    source = new EventSource(url);
    source.addEventListener('message', ({ data }) => receive(JSON.parse(data)));
    source.addEventListener('error', fail);
  }

  function stop() {
    source?.close();
    source = null;
    clearTimeout(retryTimer);
    clearTimeout(loadTimer);
  }

  /** The server ends a stream now and then, so one end is no failure. */
  function fail() {
    stop();
    failures += 1;
    if (failures > 1) show(false);
    const wait = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1));
    retryTimer = setTimeout(connect, wait * (0.5 + Math.random() / 2));
  }

  /** @param {LiveMessage} message */
  function receive(message) {
    failures = 0;
    show(message.live);
    version = message.version;
    if (version === shownVersion) return;
    const isElsewhere =
      about !== undefined && message.about !== null && !message.about.includes(about);
    schedule(isElsewhere ? CALM_MS : LEAST_MS);
  }

  /** @param {number} ms least time since the last load */
  function schedule(ms) {
    clearTimeout(loadTimer);
    const wait = Math.max(0, loadedAt + ms - performance.now());
    loadTimer = setTimeout(() => void load(), wait);
  }

  async function load() {
    if (isLoading) return schedule(LEAST_MS);
    isLoading = true;
    const loading = version;
    try {
      const newer = await newerPage();
      if (isSelecting()) document.addEventListener('selectionchange', afterSelecting);
      else {
        replace(newer);
        shownVersion = loading;
      }
    } catch {
      if (source) fail();
      show(false);
    } finally {
      isLoading = false;
      loadedAt = performance.now();
    }
  }

  /** True while the user selects text. The page waits, because a text that is replaced loses its selection. */
  function isSelecting() {
    const selection = getSelection();
    return selection !== null && !selection.isCollapsed && main.contains(selection.anchorNode);
  }

  function afterSelecting() {
    if (isSelecting()) return;
    document.removeEventListener('selectionchange', afterSelecting);
    schedule(LEAST_MS);
  }

  /** @param {Document} newer */
  function replace(newer) {
    const content = /** @type {HTMLElement} */ (newer.querySelector('main'));
    const isSame = content.textContent === main.textContent;
    const focused = document.activeElement;
    for (const page of [main, content]) nameParts(page);
    // The call is synchronous. It returns a promise only for a document head.
    void Idiomorph.morph(main, content, { callbacks: KEEP });
    document.title = newer.title;
    if (focused && focused !== document.activeElement && !focused.isConnected)
      main.focus({ preventScroll: true });
    const news = line.querySelector('[role="status"]');
    // We announce this only once, because a screen reader that announces each change reads nothing else.
    if (news && !isSame && news.textContent === '') news.textContent = updated;
  }

  document.addEventListener('visibilitychange', () => (document.hidden ? stop() : connect()));
  addEventListener('pagehide', stop);
  addEventListener('pageshow', ({ persisted }) => persisted && connect());
  if (!document.hidden) connect();
}

/**
 * True for a form that has the focus, or that has a field with another value than when the page was loaded.
 * @param {Node} node
 */
function isInUse(node) {
  if (!(node instanceof HTMLFormElement)) return false;
  return node.contains(document.activeElement) || [...node.elements].some(isFilledIn);
}

/** @param {Element} field */
function isFilledIn(field) {
  if (field instanceof HTMLSelectElement)
    return [...field.options].some((option) => option.selected !== option.defaultSelected);
  if (field instanceof HTMLTextAreaElement) return field.value !== field.defaultValue;
  if (!(field instanceof HTMLInputElement)) return false;
  return field.value !== field.defaultValue || field.checked !== field.defaultChecked;
}

/**
 * Sets the id of a row to the address of its first link, and the id of a form to its action. Idiomorph finds both by their ids, wherever
 * they stand.
 * @param {HTMLElement} page
 */
function nameParts(page) {
  for (const part of page.querySelectorAll('tr, li, form')) {
    const link = part.matches('form') ? part : part.querySelector('a[href]');
    const name = link?.getAttribute('action') ?? link?.getAttribute('href');
    if (name && part.id === '' && !page.ownerDocument.getElementById(name)) part.id = name;
  }
}

/**
 * Loads this page as it is now.
 * @throws Error when the answer is another page, such as one to sign in
 */
async function newerPage() {
  const response = await fetch(location.href, { headers: { accept: 'text/html' } });
  if (!response.ok || response.redirected)
    throw new Error(`The page was answered ${response.status}.`);
  const newer = new DOMParser().parseFromString(await response.text(), 'text/html');
  if (!newer.querySelector('main > [data-live]')) throw new Error('The page is another one.');
  return newer;
}
