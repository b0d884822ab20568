/**
 * Writes `sbom.cdx.json` (CycloneDX) into the package that npm is packing: its `prepack` script calls this. The file ships with the
 * package and is not committed.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { EMBEDDED } from './generate.mjs';
import { readManifest, ROOT } from './packages.mjs';

const folder = process.cwd();
const { name, version } = readManifest(folder);

/** @param {readonly string[]} more */
function billOf(...more) {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'library', ...more];
  return JSON.parse(
    execFileSync('npm', [...args, '--workspace', name], { cwd: ROOT, encoding: 'utf8' }),
  );
}

const bill = billOf('--omit', 'dev');
// npm describes the repository. The subject of this bill is the package.
const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
const [own] = bill.components.filter((component) => component.purl?.startsWith(purl));
if (!own) throw new Error(`npm sbom lists no ${purl}: run \`npm ci\`, then pack again`);
const root = bill.metadata.component['bom-ref'];
bill.metadata.component = own;
bill.components = [
  ...bill.components.filter((component) => component !== own),
  ...embeddedIn(basename(folder)),
];
bill.dependencies = bill.dependencies.filter(({ ref }) => ref !== root);
writeFileSync(join(folder, 'sbom.cdx.json'), `${JSON.stringify(bill, null, 2)}\n`);

/** Files of these packages are in ours, so they are parts of it, although a host does not install them. */
function embeddedIn(library) {
  const names = Object.values(EMBEDDED[library] ?? {}).map((path) => path.split('/')[0]);
  return names.length === 0
    ? []
    : billOf().components.filter((component) => names.includes(component.name));
}
