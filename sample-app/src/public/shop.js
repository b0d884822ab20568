// The pages work without this file: a browser without JavaScript reloads them.

/** A page without a stream reloads itself after this time. It gets no stream when too many pages are open. */
const RELOAD_MS = 5_000;

/**
 * The part of the page that the server updates. The server renders and escapes it.
 * @typedef {{ title: string, announcement: string, content: string, isFinal: boolean }} LiveSection
 */

const element = document.querySelector('[data-live]');
if (element instanceof HTMLElement) follow(element);

setInterval(countDown, 1_000);
countDown();

/** Shows the time that is left until the moment in the page. */
function countDown() {
  for (const moment of document.querySelectorAll('time[data-countdown]')) {
    const left = Math.ceil(
      (Date.parse(moment.getAttribute('datetime') ?? '') - Date.now()) / 1_000,
    );
    moment.textContent = left > 0 ? `in ${left} s` : 'now';
  }
}

/** @param {HTMLElement} element */
function follow(element) {
  const announcement = document.getElementById('announcement');
  /** @type {EventSource | null} */
  let stream = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let reloading;
  const reload = () => location.reload();

  const open = () => {
    if (stream) return;
    stream = new EventSource(element.dataset.live ?? '');
    stream.onmessage = show;
    stream.onerror = () => {
      // The server refused the stream. The browser tries again after any other error.
      if (stream?.readyState === EventSource.CLOSED) reloading = setTimeout(reload, RELOAD_MS);
    };
  };
  const close = () => {
    clearTimeout(reloading);
    stream?.close();
    stream = null;
  };

  /** @param {MessageEvent<string>} event */
  const show = ({ data }) => {
    const section = /** @type {LiveSection} */ (JSON.parse(data));
    element.innerHTML = section.content;
    countDown();
    document.title = section.title;
    if (announcement) announcement.textContent = section.announcement;
    // The server ends the stream after the final section. Without close(), the browser would reconnect.
    if (section.isFinal) close();
  };

  // A page in the browser's back-forward cache must not hold a connection. It reconnects when it is shown again.
  addEventListener('pageshow', open);
  addEventListener('pagehide', close);
  open();
}
