/**
 * Builds the documentation site into dist/site, and checks its links: npm run docs. DOCS_BASE is the path at which it will be served
 * (default `/`), DOCS_OUTPUT another folder. `--dev` serves it while it is written, on 127.0.0.1.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { brokenLinks } from './site.links.mjs';
import { ROOT } from './packages.mjs';
import { installTools } from './tools.mjs';

const output = process.env.DOCS_OUTPUT ?? join(ROOT, 'dist/site');
const vitepress = (...words) =>
  execFileSync(
    process.execPath,
    [join(ROOT, 'tools/site/node_modules/vitepress/bin/vitepress.js'), ...words],
    { cwd: ROOT, stdio: 'inherit' },
  );

try {
  installTools('tools/site');
  typecheck();
  const { writeReference } = await import('../tools/site/reference.mjs');
  await writeReference(join(ROOT, 'docs/api'));
  if (process.argv.includes('--dev')) {
    vitepress('dev', 'tools/site', '--host', '127.0.0.1');
  } else {
    vitepress('build', 'tools/site');
    const { broken, checked } = brokenLinks(output, process.env.DOCS_BASE ?? '/');
    if (broken.length > 0) throw new Error(`Links that lead nowhere:\n  ${broken.join('\n  ')}`);
    process.stdout.write(`${checked} links lead to a page, a heading or a file.\n`);
  }
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

/** Checks the types of the site's own code. `npm run typecheck` has not its packages. */
function typecheck() {
  const compiler = join(ROOT, 'node_modules/typescript-7/bin/tsc');
  const project = join(ROOT, 'tools/site/.vitepress/tsconfig.json');
  execFileSync(process.execPath, [compiler, '-p', project], { stdio: 'inherit' });
}
