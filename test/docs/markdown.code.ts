import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The pages that people read to use the packages. `docs/api` is made from the sources. */
export const PAGES: readonly string[] = [
  'README.md',
  'sample-app/README.md',
  ...markdownIn('docs'),
  ...readdirSync(join(ROOT, 'libs')).map((name) => `libs/${name}/README.md`),
];

export interface CodeBlock {
  readonly page: string;
  readonly language: string;
  /** Line of the first line of code in the page, from 1. */
  readonly line: number;
  readonly text: string;
}

export function readPage(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

/** Returns the code blocks of a page. The indentation of the fence is removed. */
export function codeBlocks(page: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  const lines = readPage(page).split('\n');
  for (let index = 0; index < lines.length; index += 1) {
    const fence = /^(?<indent>\s*)```(?<language>\w+)$/.exec(lines[index] ?? '')?.groups;
    if (!fence) continue;
    const { indent = '', language = '' } = fence;
    const end = lines.indexOf(`${indent}\`\`\``, index + 1);
    const text = lines.slice(index + 1, end).map((line) => line.slice(indent.length));
    blocks.push({ page, language, line: index + 2, text: text.join('\n') });
    index = end;
  }
  return blocks;
}

function markdownIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md') && !/^(api|\.vitepress)[/]/.test(path))
    .map((path) => `${folder}/${path}`);
}
