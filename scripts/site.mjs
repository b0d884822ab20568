/**
 * Builds the documentation site into docs/.vitepress/dist, and checks its links: npm run docs. DOCS_BASE is the path at which it will be served
 * (default `/`), DOCS_OUTPUT another folder. `--dev` serves it while it is written, on 127.0.0.1.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { writeReference } from './site.reference.mjs';
import { brokenLinks } from './site.links.mjs';
import { ROOT } from './packages.mjs';

const output = process.env.DOCS_OUTPUT ?? join(ROOT, 'docs/.vitepress/dist');
const vitepress = (...words) =>
  execFileSync(
    process.execPath,
    [join(ROOT, 'node_modules/vitepress/bin/vitepress.js'), ...words],
    { cwd: ROOT, stdio: 'inherit' },
  );

try {
  await writeReference(join(ROOT, 'docs/api'));
  if (process.argv.includes('--dev')) {
    vitepress('dev', 'docs', '--host', '127.0.0.1');
  } else {
    vitepress('build', 'docs');
    const { broken, checked } = brokenLinks(output, process.env.DOCS_BASE ?? '/');
    if (broken.length > 0) throw new Error(`Links that lead nowhere:\n  ${broken.join('\n  ')}`);
    process.stdout.write(`${checked} links lead to a page, a heading or a file.\n`);
  }
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
