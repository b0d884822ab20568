/** The published workspaces. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** @param {string} directory */
export function readManifest(directory) {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
}

/** Reads each package: directory, manifest and the entry points of its `exports` (`.`, `./store`, ...). */
export function publishedPackages() {
  return readManifest(ROOT)
    .workspaces.map((workspace) => {
      const directory = join(ROOT, workspace);
      const manifest = readManifest(directory);
      // Files that are no modules are no entry points: package.json, and `./observability/*`.
      const entryPoints = Object.keys(manifest.exports).filter((key) => !/\.json$|\*/.test(key));
      return { directory, manifest, name: manifest.name, entryPoints };
    })
    .filter(({ manifest }) => !manifest.private);
}
