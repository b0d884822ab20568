import { createHash } from 'node:crypto';
import { CONTROL_SCRIPT } from './assets/control.script.js';
import { CONTROL_STYLE } from './assets/control.style.js';
import { CURL_SCRIPT } from './assets/curl.script.js';
import { DELIVERY_SCRIPT } from './assets/delivery.script.js';
import { DIALS_SCRIPT } from './assets/dials.script.js';
import { ELEMENT_SCRIPT } from './assets/element.script.js';
import { ENTRY_SCRIPT } from './assets/entry.script.js';
import { FAVICON_IMAGE } from './assets/favicon.image.js';
import { FRAME_STYLE } from './assets/frame.style.js';
import { HANDSET_SCRIPT } from './assets/handset.script.js';
import { HANDSET_STYLE } from './assets/handset.style.js';
import { JOURNAL_SCRIPT } from './assets/journal.script.js';
import { NEWS_SCRIPT } from './assets/news.script.js';
import { PLATFORM_SCRIPT } from './assets/platform.script.js';

/** A file that the pages load. */
export interface Asset {
  readonly type: string;
  readonly content: string;
  /** Changes with the content, so that a browser asks and mostly loads nothing. */
  readonly tag: string;
}

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

const asset = (type: string, content: string): Asset => ({
  type,
  content,
  tag: `"${createHash('sha256').update(content).digest('hex').slice(0, 16)}"`,
});

/** Everything that the pages load, by name. Nothing comes from elsewhere. */
export const ASSETS: ReadonlyMap<string, Asset> = new Map([
  ['favicon.svg', asset('image/svg+xml', FAVICON_IMAGE)],
  ['frame.css', asset(STYLE, FRAME_STYLE)],
  ['handset.css', asset(STYLE, HANDSET_STYLE)],
  ['element.js', asset(SCRIPT, ELEMENT_SCRIPT)],
  ['platform.js', asset(SCRIPT, PLATFORM_SCRIPT)],
  ['handset.js', asset(SCRIPT, HANDSET_SCRIPT)],
  ['control.css', asset(STYLE, CONTROL_STYLE)],
  ['control.js', asset(SCRIPT, CONTROL_SCRIPT)],
  ['curl.js', asset(SCRIPT, CURL_SCRIPT)],
  ['delivery.js', asset(SCRIPT, DELIVERY_SCRIPT)],
  ['dials.js', asset(SCRIPT, DIALS_SCRIPT)],
  ['entry.js', asset(SCRIPT, ENTRY_SCRIPT)],
  ['journal.js', asset(SCRIPT, JOURNAL_SCRIPT)],
  ['news.js', asset(SCRIPT, NEWS_SCRIPT)],
]);
