import { html, type Html, type HtmlContent } from '@tillkit/pages';

/** A field of a form. With options it is a choice. */
interface Field {
  readonly id: string;
  readonly label: HtmlContent;
  /** The other attributes of the field. */
  readonly attributes?: Html;
  readonly options?: HtmlContent;
}

export function field({ id, label, attributes, options }: Field): Html {
  return html`<p class="field">
    <label for="${id}">${label}</label>
    ${
      options
        ? html`<select id="${id}" ${attributes}>
            ${options}
          </select>`
        : html`<input id="${id}" ${attributes} />`
    }
  </p>`;
}

/** Returns the options of a choice: their values and names. */
export function optionsOf(names: Readonly<Record<string, string>>, chosen?: string): Html[] {
  return Object.entries(names).map(([value, name]) =>
    value === chosen
      ? html`<option value="${value}" selected>${name}</option>`
      : html`<option value="${value}">${name}</option>`,
  );
}

/** A button of a form makes this call to the control API. */
interface Call {
  /** Method and path. `{name}` stands for a field of the form. */
  readonly call: string;
  /** The call sends these fields beside those of the form. */
  readonly body?: object;
  /** The text of the outcome, in which `{name}` stands for a field of the form or of the answer. */
  readonly says?: string;
  /** True for the button that a person presses most often. */
  readonly isMain?: boolean;
  readonly more?: HtmlContent;
}

export function button(name: string, { call, body, says, isMain, more }: Call): Html {
  return html`<button
    class="button ${isMain ? '' : 'button--quiet'}"
    data-call="${call}"
    ${body && html`data-body="${JSON.stringify(body)}"`}
    ${says && html`data-says="${says}"`}
    ${more}
  >
    ${name}
  </button>`;
}

/** Returns a part of the page with a title of its own. */
export function panel(id: string, title: HtmlContent, content: Html): Html {
  return html`<section class="panel" id="${id}" aria-labelledby="${id}-title" tabindex="-1">
    <h2 id="${id}-title">${title}</h2>
    ${content}
  </section>`;
}

/** Returns the time of day. A browser writes it in the time zone of the reader. */
export function time(at: string): Html {
  return html`<time class="soft" datetime="${at}">${at.slice(11, 19)}</time>`;
}

/** Control characters, and characters that are invisible or change the direction of the text after them. */
const INVISIBLE =
  // oxlint-disable-next-line no-control-regex -- control characters are what it finds
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** Returns a text with its invisible characters written out, as `<U+202E>`, so that no text can look like another. */
export function visible(text: string): string {
  return text.replace(
    INVISIBLE,
    (character) => `<U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}>`,
  );
}
