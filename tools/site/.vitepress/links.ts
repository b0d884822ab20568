/**
 * Links of a page are paths in the repository, so that they work in an editor and on the host of the code. This plugin turns them into paths of
 * the site. A link to a file that is no page becomes text. A link to nothing fails the build; scripts/site.mjs checks the anchors.
 */
import { posix } from 'node:path';
import type { MarkdownOptions } from 'vitepress';
import { fileAt, pageOf, ROOT } from './pages';

type Markdown = Parameters<NonNullable<MarkdownOptions['config']>>[0];
type Tokens = ReturnType<Markdown['parse']>;
type Token = Tokens[number];

/** Text that a page includes keeps links that start at its own folder, the root of the repository. */
const INCLUDED_FROM = '.';

/** Returns the anchor of a heading as GitHub makes it, so that a link works in both places. */
export function slugOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}

export function siteLinks(markdown: Markdown): void {
  markdown.core.ruler.push('site-links', ({ tokens, env }: { tokens: Tokens; env: unknown }) => {
    const { realPath, path } = env as { realPath?: string; path?: string };
    // A title that is rendered alone has no file, and no links.
    if (path === undefined) return;
    const file = posix.relative(ROOT, realPath ?? path);
    for (const { children } of tokens) if (children) rewrite(children, file);
  });
}

function rewrite(tokens: Token[], file: string): void {
  let isText = false;
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const href = token.attrGet('href') ?? '';
      const target = /^([a-z]+:|#|\/)/i.test(href) ? href : targetOf(href, file);
      isText = target === undefined;
      if (target === undefined) becomeText(token, href);
      else token.attrSet('href', target);
    } else if (token.type === 'link_close' && isText) {
      token.tag = 'span';
      isText = false;
    }
  }
}

function targetOf(href: string, file: string): string | undefined {
  const [path = '', anchor] = decodeURI(href).split('#');
  const found = [posix.dirname(file), INCLUDED_FROM]
    .map((folder) => fileAt(posix.join(folder, path)))
    .find((at) => at !== undefined);
  if (found === undefined) throw new Error(`${file} links to "${href}", which does not exist`);
  const page = pageOf(found);
  return page && `/${page}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** The site has no files of the repository, so a link to one becomes a text that names the file. */
function becomeText(token: Token, href: string): void {
  token.tag = 'span';
  token.attrs = [
    ['class', 'in-repository'],
    ['title', `In the repository: ${href.replace(/^(\.\.\/)+/, '')}`],
  ];
}
