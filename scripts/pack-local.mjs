/** Builds and packs all packages into one folder, and prints how to install them: npm run pack:local [folder]. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { publishedPackages, ROOT } from './packages.mjs';

const folder = resolve(process.argv[2] ?? join(ROOT, 'dist/packages'));
mkdirSync(folder, { recursive: true });
const files = publishedPackages().map(({ directory }) => {
  const [{ filename }] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
      cwd: directory,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  return join(folder, filename);
});
process.stdout.write(`In your application:\n\nnpm install ${files.join(' ')}\n`);
