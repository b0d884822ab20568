import { html, type Html } from '@tillkit/pages';
import { WORDS } from '../words/english.words.js';
import { listing } from './text.fragment.js';

/** Maximum length of a payload on a page, in characters. */
const MAX_SHOWN = 50_000;

/** The bytes of a payload, or its text when the bytes are not kept. */
export interface Payload {
  /** Describes the payload, for example by its media type and size. */
  about: string;
  text: string;
  isRevealed: boolean;
}

/** Returns a payload that scrolls inside its frame, with a button that copies exactly what is shown. Without a script the text is selectable. */
export function payload({ about, text, isRevealed }: Payload): Html {
  return html`<figure class="payload">
    <figcaption class="payload__bar">
      <span class="soft">${about}</span>
      ${copyButton()}
    </figcaption>
    ${listing(text, MAX_SHOWN, isRevealed)}
  </figure>`;
}

/** Copies the text of the payload or of the field beside it. */
export function copyButton(): Html {
  const { copy, copied, refused } = WORDS.payload;
  return html`<button
    type="button"
    class="small quiet"
    data-copy
    data-copied="${copied}"
    data-refused="${refused}"
  >
    ${copy}
  </button>`;
}

/** Returns the data of the platform from which a record was read, closed at first; null when retention has redacted it. */
export function rawPart(
  summary: string,
  raw: Record<string, unknown> | undefined,
  isRevealed: boolean,
): Html | null {
  if (!raw || Object.keys(raw).length === 0) return null;
  const json = JSON.stringify(raw, null, 2);
  return html`<details>
    <summary>${summary}</summary>
    ${payload({ about: WORDS.payload.json, text: json, isRevealed })}
  </details>`;
}
