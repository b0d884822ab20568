/** Reads what the consumers use from the pages that tell users to use it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The first code block of a language below a heading: `blockBelow('docs/testing.md', '## Vitest', 'js')`. */
export function blockBelow(page, heading, language) {
  const text = `\n${readFileSync(join(ROOT, page), 'utf8')}`;
  const start = text.indexOf(`\n${heading}\n`);
  const [, block] = text.slice(start).split(new RegExp(`\n *\`\`\`(?:${language})?\n`));
  if (start < 0 || !block) throw new Error(`${page} has no ${language} below "${heading}"`);
  return block;
}

/** The variables that the README exports: `PAYMENTS_CLIENT_ID` and others. */
export function exportedVariables(page) {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return Object.fromEntries(
    [...text.matchAll(/^ *export (\w+)=(\S+)/gm)].map(([, name, value]) => [name, value]),
  );
}
