// The pages work without this file: a browser without JavaScript reloads them.

/**
 * The part of the page that changes while the page is open. The server renders and escapes each version of it.
 * @typedef {{ title: string, announcement: string, content: string, isFinal: boolean }} LiveSection
 */
const place = document.querySelector('[data-live]');
if (place instanceof HTMLElement) follow(place);

/** @param {HTMLElement} place */
function follow(place) {
  const announcement = document.getElementById('announcement');
  /** @type {EventSource | null} */
  let stream = null;

  const open = () => {
    if (stream) return;
    stream = new EventSource(place.dataset.live ?? '');
    stream.onmessage = show;
  };
  const close = () => {
    stream?.close();
    stream = null;
  };

  /** @param {MessageEvent<string>} event */
  const show = ({ data }) => {
    const section = /** @type {LiveSection} */ (JSON.parse(data));
    place.innerHTML = section.content;
    document.title = section.title;
    if (announcement) announcement.textContent = section.announcement;
    // The server ends the stream after the last one, and the browser would connect again.
    if (section.isFinal) close();
  };

  // A page in the browser's back-forward cache holds no connection; it connects again when it is shown again.
  addEventListener('pageshow', open);
  addEventListener('pagehide', close);
  open();
}
