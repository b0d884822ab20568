/** Markup that is safe to send: only {@link html} makes it. */
export class Html {
  constructor(private readonly markup: string) {}

  toString(): string {
    return this.markup;
  }
}

/** What may stand between the markup. `null`, `undefined` and `false` are nothing, for conditions. */
export type HtmlContent =
  Html | string | number | null | undefined | false | readonly HtmlContent[];

/**
 * Markup with every value escaped, unless it is markup itself. Values belong between tags or into quoted attributes; no
 * escaping makes them safe in scripts, styles or bare attributes, so there are none here.
 */
export function html(markup: TemplateStringsArray, ...values: readonly HtmlContent[]): Html {
  return new Html(String.raw({ raw: markup }, ...values.map(render)));
}

function render(content: HtmlContent): string {
  if (content === null || content === undefined || content === false) return '';
  if (content instanceof Html) return content.toString();
  if (Array.isArray(content)) return (content as readonly HtmlContent[]).map(render).join('');
  return escape(String(content as string | number));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}
