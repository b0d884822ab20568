// The script of the pages in a browser. It sends the calls of the buttons, and shows the present state of the server.

const pageStatus = /** @type {HTMLElement} */ (document.getElementById('status'));
const clock = document.getElementById('clock');

/**
 * Says something in a status line, which screen readers announce.
 * @param {Element | null | undefined} status
 * @param {string} text
 */
function announce(status, text, isError = false) {
  const line = status ?? pageStatus;
  line.textContent = text;
  line.classList.toggle('status--bad', isError);
}

/**
 * Returns the status line of the part of the page with an element, if it has one.
 * @param {Element} element
 */
const statusOf = (element) => element.closest('section')?.querySelector('[role="status"]');

/** @param {unknown} error */
const messageOf = (error) => (error instanceof Error ? error.message : String(error));

/** @param {Event} event of a field that keeps its form from being sent */
function explain({ target }) {
  const missing = target instanceof HTMLElement && target.dataset['missing'];
  if (missing) announce(statusOf(target), missing, true);
}
// We listen in the capture phase, because the event does not bubble.
document.addEventListener('invalid', explain, true);

document.addEventListener('submit', (event) => {
  const { submitter } = event;
  if (!(submitter instanceof HTMLButtonElement && submitter.dataset['call'])) return;
  event.preventDefault();
  void send(submitter, submitter.dataset['call']);
});

/**
 * Sends the call of a button to the control API, with the fields of its form, and announces the outcome. In its texts `{name}` stands for a
 * field of the form, or for a field of the answer.
 * @param {HTMLButtonElement} button
 * @param {string} call the method and the path
 */
async function send(button, call) {
  // The form may be about to change.
  await refreshing;
  const status = statusOf(button);
  const { typed, body } = fieldsOf(button.form);
  /** @param {string} text @param {object[]} sources */
  const filled = (text, ...sources) =>
    text.replaceAll(/\{(\w+)\}/g, (_, name) => {
      const values = new Map(sources.flatMap((source) => Object.entries(source)));
      return String(values.get(name) ?? values.get('error') ?? '');
    });
  const [method = '', path = ''] = filled(call, typed).split(' ');
  try {
    const response = await fetch(`/_simulator${path}`, {
      method,
      ...(method !== 'DELETE' && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, ...JSON.parse(button.dataset['body'] ?? '{}') }),
      }),
    });
    const answer = await response.json().catch(() => ({}));
    if (!response.ok)
      throw new Error(answer.message || `The simulator responded ${response.status}.`);
    const says = button.dataset['says'];
    if (says) announce(status, filled(says, typed, ...[answer].flat()));
  } catch (error) {
    announce(status, messageOf(error), true);
  }
  const details = button.closest('details');
  if (details) await loadDetails(details);
  await refresh();
}

/**
 * Returns the fields of a form, as a person typed them and as the control API takes them. `match.phone` is a field of the object `match`.
 * @param {HTMLFormElement | null} form
 */
function fieldsOf(form) {
  /** @type {Record<string, string>} */
  const typed = {};
  /** @type {Record<string, any>} */
  const body = {};
  for (const field of form?.elements ?? []) {
    const isField = field instanceof HTMLInputElement || field instanceof HTMLSelectElement;
    if (!isField || field.value.trim() === '') continue;
    typed[field.name] = field.value;
    const [group = '', member] = field.name.split('.');
    if (member === undefined) body[group] = valueOf(field);
    // The value of a choice may name the member too: `delivery:callback`.
    else if (member === '')
      (body[group] ??= {})[field.value.split(':')[0] ?? ''] = field.value.split(':')[1];
    else (body[group] ??= {})[member] = valueOf(field);
  }
  return { typed, body };
}

/** @param {HTMLInputElement | HTMLSelectElement} field */
function valueOf(field) {
  if (!(field instanceof HTMLInputElement)) return field.value;
  if (field.type === 'checkbox') return field.checked;
  if (field.type !== 'number') return field.value.trim();
  return field.valueAsNumber / Number(field.dataset['divisor'] ?? 1);
}

let isStale = false;
/** @type {Promise<void> | null} */
let refreshing = null;

/** Shows the present state of the server. Any number of calls during a read cause one more read. */
function refresh() {
  isStale = true;
  refreshing ??= readPage().finally(() => (refreshing = null));
  return refreshing;
}

async function readPage() {
  while (isStale) {
    // Changes that come at almost the same time are shown together.
    await new Promise((done) => setTimeout(done, 50));
    isStale = false;
    const query = new URLSearchParams(location.search);
    for (const field of document.querySelectorAll('[data-query]'))
      if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement)
        query.set(field.name, field.value);
    try {
      show(await read(`${location.pathname}?${query}`));
    } catch (error) {
      announce(pageStatus, messageOf(error), true);
    }
  }
}

/** @param {string} url */
async function read(url) {
  const response = await fetch(url);
  return new DOMParser().parseFromString(await response.text(), 'text/html');
}

/** The parts of the page that change, as the server has sent them. */
const sent = new Map(
  [...document.querySelectorAll('[data-live]')].map(({ id, innerHTML }) => [id, innerHTML]),
);

/** @param {Document} page */
function show(page) {
  setClock(page);
  for (const part of page.querySelectorAll('[data-live]')) {
    const old = document.getElementById(part.id);
    if (!old || sent.get(part.id) === part.innerHTML) continue;
    sent.set(part.id, part.innerHTML);
    const { activeElement: active } = document;
    const section = old.closest('section');
    const hadFocus = old.contains(active);
    const isFree = active === document.body || section?.contains(active);
    if (part.tagName === 'OL') mergeRows(old, part);
    else if ('keepsTyped' in old.dataset)
      keepTyped(old, () => old.replaceChildren(...part.childNodes));
    else old.replaceChildren(...part.childNodes);
    old.classList.remove('status--bad');
    localiseTimes(old);
    if (old.dataset['says']) announce(statusOf(old), old.dataset['says']);
    // A new prompt takes the focus, unless an element outside its phone has it. The element that had the focus may be gone.
    const focus = /** @type {HTMLElement | null} */ (old.querySelector('[data-focus]'));
    if (focus && isFree) focus.focus({ preventScroll: true });
    else if (hadFocus && !old.contains(document.activeElement))
      section?.focus({ preventScroll: true });
  }
}

/**
 * A person may type before the fields of a new choice have arrived. Fields that stay keep the typed text and the focus.
 * @param {HTMLElement} parent
 * @param {() => void} replace
 */
function keepTyped(parent, replace) {
  const focused = parent.contains(document.activeElement) && document.activeElement?.id;
  const typed = [...parent.querySelectorAll('input')].filter((input) =>
    input.type === 'checkbox'
      ? input.checked !== input.defaultChecked
      : input.value !== input.defaultValue,
  );
  const chosen = [...parent.querySelectorAll('select')].filter((select) => select.value !== '');
  replace();
  for (const { id, value, checked } of typed) {
    const input = document.getElementById(id);
    if (input instanceof HTMLInputElement) Object.assign(input, { value, checked });
  }
  for (const { id, value } of chosen) {
    const select = document.getElementById(id);
    if (!(select instanceof HTMLSelectElement)) continue;
    if ([...select.options].some((option) => option.value === value)) select.value = value;
  }
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
}

/**
 * Shows new rows and removes those that are gone, unless a reader has opened them. Rows never change.
 * @param {HTMLElement} list
 * @param {Element} page
 */
function mergeRows(list, page) {
  const rows = [...page.children].map((row) => document.getElementById(row.id) ?? row);
  const gone = [...list.children].filter(
    (row) => !rows.includes(row) && !row.querySelector('[open]'),
  );
  for (const row of gone) row.remove();
  let next = list.firstElementChild;
  for (const row of rows)
    if (row === next) next = row.nextElementSibling;
    else list.insertBefore(row, next);
}

/** @param {Event} event of an element that opens */
function open({ target }) {
  if (target instanceof HTMLDetailsElement && target.open && target.childElementCount === 1)
    void loadDetails(target);
}
// We listen in the capture phase, because the event does not bubble.
document.addEventListener('toggle', open, true);

/** @param {HTMLDetailsElement} details */
async function loadDetails(details) {
  const page = await read(String(details.dataset['src']));
  const [summary] = details.children;
  details.replaceChildren(...(summary ? [summary] : []), ...page.body.childNodes);
  localiseTimes(details);
}

/** Writes times in the time zone of the reader. @param {ParentNode} parent */
function localiseTimes(parent) {
  for (const time of parent.querySelectorAll('time:not(#clock)'))
    time.textContent = new Date(String(time.getAttribute('datetime'))).toLocaleTimeString('en', {
      hour12: false,
    });
}

/** The clock of the simulator is this many milliseconds ahead of this machine's clock. */
let ahead = 0;

/** @param {Document} page */
function setClock(page) {
  ahead = Date.parse(String(page.getElementById('clock')?.getAttribute('datetime'))) - Date.now();
  showTime();
}

function showTime() {
  if (clock)
    clock.textContent = new Date(Date.now() + ahead).toLocaleString('en', {
      dateStyle: 'medium',
      timeStyle: 'medium',
      hour12: false,
    });
}

document.addEventListener('input', ({ target }) => {
  if (target instanceof Element && target.matches('[data-query]')) void refresh();
});

async function copySettings() {
  const settings = /** @type {HTMLElement} */ (document.getElementById('env'));
  try {
    await navigator.clipboard.writeText(String(settings.textContent));
    announce(pageStatus, 'Copied the settings.');
  } catch (error) {
    // Browsers offer the clipboard only on localhost and over HTTPS.
    getSelection()?.selectAllChildren(settings);
    const cure = 'The settings are selected. Copy them with the keyboard:';
    announce(pageStatus, `${cure} ${messageOf(error)}`, true);
  }
}

for (const button of document.querySelectorAll('#copy-env')) {
  button.removeAttribute('hidden');
  button.addEventListener('click', () => void copySettings());
}

/** @type {EventSource | null} */
let stream = null;

/** Reloads the parts of the page after each entry of the journal, because each entry changes them. */
function follow() {
  if (!clock || stream) return;
  stream = new EventSource(`/_simulator/journal/stream?after=${clock.dataset['newest']}`);
  for (const type of ['request', 'attempt', 'note'])
    stream.addEventListener(type, () => void refresh());
  stream.addEventListener('open', () => {
    announce(pageStatus, 'Live: this page follows the simulator.');
    void refresh();
  });
  stream.addEventListener('error', () =>
    announce(pageStatus, 'The simulator does not respond; trying again.', true),
  );
}

// A page in the browser's back/forward cache must not hold a connection.
addEventListener('pagehide', () => {
  stream?.close();
  stream = null;
});
addEventListener('pageshow', follow);
setClock(document);
setInterval(showTime, 1000);
localiseTimes(document);
