// What every page does in the browser. Without this script every page works: times are in UTC, and there are no shortcuts.

const desk = /** @type {HTMLElement | null} */ (document.querySelector('[data-desk]'));

/** Tells the time zone of this browser, and loads the page again in it, once. */
function tellTimeZone() {
  const { zone: shown, root = '' } = desk?.dataset ?? {};
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  if (shown === undefined || shown === timeZone) return;
  const path = new URL(root || '.', location.href).pathname;
  document.cookie = `tillkit-time-zone=${encodeURIComponent(timeZone)}; Path=${path}; Max-Age=31536000; SameSite=Strict`;
  // A browser without cookies, or a server that does not know the zone, would load it for ever.
  const told = `tillkit-time-zone-told ${timeZone}`;
  if (sessionStorage.getItem(told) !== null) return;
  sessionStorage.setItem(told, 'yes');
  location.reload();
}

tellTimeZone();
