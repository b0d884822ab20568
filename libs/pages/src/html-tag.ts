/** Safe markup: the result of {@link html}, or a constant of our own, such as an SVG file, passed to the constructor. */
export class Html {
  constructor(private readonly markup: string) {}

  toString(): string {
    return this.markup;
  }
}

/** The values of a template. `null`, `undefined` and `false` write nothing, so that conditions are short. */
export type HtmlContent =
  Html | string | number | null | undefined | false | readonly HtmlContent[];

/**
 * Template tag that escapes every value, unless the value is {@link Html} itself. Values are safe between tags and in quoted
 * attributes. No escaping makes a value safe in a script, a style or an unquoted attribute.
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
