/**
 * Writes `sbom.cdx.json` (CycloneDX) into the package that npm is packing: its `prepack` script calls this. The file ships with the
 * package and is not committed.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readManifest, ROOT } from './packages.mjs';

const folder = process.cwd();
const { name, version } = readManifest(folder);
const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'library', '--omit', 'dev'];
const bill = JSON.parse(
  execFileSync('npm', [...args, '--workspace', name], { cwd: ROOT, encoding: 'utf8' }),
);
// npm describes the repository. The subject of this bill is the package.
const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
const [own] = bill.components.filter((component) => component.purl?.startsWith(purl));
if (!own) throw new Error(`npm sbom lists no ${purl}: run \`npm ci\`, then pack again`);
const root = bill.metadata.component['bom-ref'];
bill.metadata.component = own;
bill.components = bill.components.filter((component) => component !== own);
bill.dependencies = bill.dependencies.filter(({ ref }) => ref !== root);
writeFileSync(join(folder, 'sbom.cdx.json'), `${JSON.stringify(bill, null, 2)}\n`);
