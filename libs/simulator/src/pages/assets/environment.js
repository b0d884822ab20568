import { messageOf } from './element.js';
import { announce } from './status.js';

const button = document.getElementById('copy-env');
const text = document.getElementById('env');

/** @param {HTMLElement} settings */
async function copy(settings) {
  try {
    await navigator.clipboard.writeText(String(settings.textContent));
    announce('Copied the settings.');
  } catch (error) {
    // Browsers offer the clipboard only on localhost and over HTTPS.
    getSelection()?.selectAllChildren(settings);
    announce(`The settings are selected. Copy them with the keyboard: ${messageOf(error)}`, true);
  }
}

// Without a merchant there are no settings.
if (button && text) {
  button.hidden = false;
  button.addEventListener('click', () => void copy(text));
}
