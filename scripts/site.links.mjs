/** The links of a built site: those that lead nowhere, whether to a page, a heading, a picture, a script or a style. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';

/**
 * @param {string} folder the built site
 * @param {string} base the path at which it is served
 */
export function brokenLinks(folder, base) {
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.html'))
    .map((path) => path.split(sep).join('/'));
  const texts = new Map(pages.map((page) => [page, readFileSync(join(folder, page), 'utf8')]));
  const ids = new Map([...texts].map(([page, text]) => [page, idsOf(text)]));
  const broken = [];
  let checked = 0;
  for (const [page, text] of texts) {
    for (const link of new Set(linksOf(text))) {
      if (/^(?:[a-z][a-z+.-]*:|\/\/)/i.test(link)) continue;
      checked += 1;
      const problem = problemOf(link, page, { folder, base, ids });
      if (problem) broken.push(`${page}: ${link} (${problem})`);
    }
  }
  return { broken, checked };
}

function linksOf(text) {
  return [...text.matchAll(/<[a-z][^>]*?\s(?:href|src)="([^"]*)"/gi)].map(([, link]) =>
    link.replaceAll('&amp;', '&'),
  );
}

function idsOf(text) {
  return new Set([...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id));
}

function problemOf(link, page, { folder, base, ids }) {
  const [address, anchor] = link.split('#');
  const [path] = address.split('?');
  let target = page;
  if (path !== '') {
    const absolute = path.startsWith('/') ? path : posix.join(base, posix.dirname(page), path);
    if (!absolute.startsWith(base)) return `outside ${base}`;
    target = fileOf(folder, decodeURI(absolute.slice(base.length)));
    if (target === undefined) return 'no such file';
  }
  if (anchor && !ids.get(target)?.has(decodeURIComponent(anchor))) return 'no such heading';
  return undefined;
}

/** Returns the file that a server sends for a path. */
function fileOf(folder, path) {
  const at = join(folder, path);
  const found = existsSync(at) && statSync(at).isDirectory() ? join(at, 'index.html') : at;
  return existsSync(found) ? relative(folder, found).split(sep).join('/') : undefined;
}
