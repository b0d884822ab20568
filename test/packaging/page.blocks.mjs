/** Reads what the consumers use from the pages that tell users to use it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Returns the first code block of a language below a heading: `blockBelow('docs/testing.md', '## Vitest', 'js')`. */
export function blockBelow(page, heading, language) {
  const text = `\n${readFileSync(join(ROOT, page), 'utf8')}`;
  const start = text.indexOf(`\n${heading}\n`);
  const fences = new RegExp(`\n *\`\`\`${language}\n(.*?\n) *\`\`\``, 's');
  const [, block] = fences.exec(text.slice(start)) ?? [];
  if (start < 0 || !block) throw new Error(`${page} has no ${language} below "${heading}"`);
  return block;
}
