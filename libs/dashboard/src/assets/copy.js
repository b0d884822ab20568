// The buttons that copy a payload or a field. Without this script they are not shown, and the text can be selected.

/** After a copy the button shows its result for this long. */
const SAID_FOR_MS = 2_000;

document.documentElement.dataset['copies'] = 'true';

// The document has one listener, because the live script replaces parts of the page.
document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest('[data-copy]') : null;
  const text = button?.closest('.payload, .address')?.querySelector('pre, input');
  if (button instanceof HTMLElement && text instanceof HTMLElement) void copy(button, text);
});

/**
 * @param {HTMLElement} button
 * @param {HTMLElement} text
 */
async function copy(button, text) {
  const { copied = '', refused = '' } = button.dataset;
  try {
    await navigator.clipboard.writeText(
      text instanceof HTMLInputElement ? text.value : text.textContent,
    );
    say(button, copied);
  } catch {
    // Browsers offer the clipboard only on localhost and over HTTPS.
    if (text instanceof HTMLInputElement) text.select();
    else getSelection()?.selectAllChildren(text);
    text.focus();
    say(button, refused);
  }
}

/**
 * Shows a text instead of the name of a button, for a moment.
 * @param {HTMLElement} button
 * @param {string} words
 */
function say(button, words) {
  const name = button.dataset['name'] ?? button.textContent;
  button.dataset['name'] = name;
  button.textContent = words;
  button.setAttribute('aria-live', 'polite');
  setTimeout(() => {
    button.textContent = name;
  }, SAID_FOR_MS);
}
