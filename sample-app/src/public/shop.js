// The pages work without this: it spares customers loading them again.

/**
 * Live sections: each arrives whole, made and escaped by the server, and takes the place of the one before.
 * @typedef {{ version: string, title: string, news: string, html: string }} Section
 */
for (const place of document.querySelectorAll('[data-live]')) {
  if (place instanceof HTMLElement) follow(place);
}

/** @param {HTMLElement} place */
function follow(place) {
  const news = document.getElementById('news');
  /** @type {EventSource | null} */
  let stream = null;

  /** @param {MessageEvent<string>} event */
  const show = ({ data }) => {
    const section = /** @type {Section} */ (JSON.parse(data));
    if (section.version === place.dataset.version) return;
    // Whoever is writing another phone number keeps what is written.
    if (place.contains(document.activeElement) && document.activeElement?.matches('input')) return;
    place.innerHTML = section.html;
    place.dataset.version = section.version;
    document.title = section.title;
    if (news) news.textContent = section.news;
  };

  const open = () => {
    if (stream) return;
    stream = new EventSource(place.dataset.live ?? '');
    stream.addEventListener('section', show);
  };
  const close = () => {
    stream?.close();
    stream = null;
  };

  // A page in the browser's back-forward memory holds no connection, and catches up when it is shown again.
  addEventListener('pageshow', open);
  addEventListener('pagehide', close);
  open();
}

/**
 * A form is sent once, however often its button is pressed. The server would take both for one: this spares the wait.
 * @type {Set<EventTarget>}
 */
const sent = new Set();

document.addEventListener('submit', (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || !form.matches('[data-once]')) return;
  if (sent.has(form)) event.preventDefault();
  sent.add(form);
  form.querySelector('[type=submit]')?.setAttribute('aria-disabled', 'true');
});

addEventListener('pageshow', () => {
  sent.clear();
  for (const button of document.querySelectorAll('[data-once] [type=submit]')) {
    button.removeAttribute('aria-disabled');
  }
});

/** Practice phones fill the field in where others load the page again. */
document.addEventListener('click', (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || !(event.target instanceof Element))
    return;
  const link = event.target.closest('[data-phone]');
  const phone = document.querySelector('input[name=phone]');
  const name = document.querySelector('input[name=name]');
  if (!(link instanceof HTMLElement) || !(phone instanceof HTMLInputElement)) return;
  event.preventDefault();
  phone.value = link.dataset.phone ?? '';
  const next = name instanceof HTMLInputElement && name.value === '' ? name : phone;
  next.focus();
});
