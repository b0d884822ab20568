/** A form of a page, as a browser would send it when nobody changes a field. */
export interface PageForm {
  /** The path is below the address of the dashboard. */
  path: string;
  fields: Record<string, string>;
  /** The text of its last button. */
  button: string;
}

/** Returns the form of a page whose address ends with a path. Links of pages are relative, so that the path is its end. */
export function formTo(text: string, path: string): PageForm {
  const forms = [...text.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)];
  const found = forms.find(([, attributes]) =>
    attribute(attributes!, 'action')
      ?.replace(/\?.*$/, '')
      .replace(/^[./]*/, '/')
      .endsWith(path),
  );
  if (!found) throw new Error(`the page has no form to ${path}:\n${text}`);
  const [, , content = ''] = found;
  const inputs = [...content.matchAll(/<input\b([^>]*)>/gs)].map(([, attributes]) => [
    attribute(attributes!, 'name') ?? '',
    attribute(attributes!, 'value') ?? '',
  ]);
  const buttons = [...content.matchAll(/<button\b[^>]*>(.*?)<\/button>/gs)];
  return {
    path,
    fields: Object.fromEntries(inputs) as Record<string, string>,
    button: unescaped(
      buttons
        .at(-1)?.[1]
        ?.replace(/<[^>]*>/g, '')
        .trim() ?? '',
    ),
  };
}

/** Returns the words of a page, without its markup. */
export function wordsOfPage(text: string): string {
  return unescaped(text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' '));
}

function attribute(attributes: string, name: string): string | undefined {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1];
  return value === undefined ? undefined : unescaped(value);
}

function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
