/**
 * Releases every published workspace: npm run release. With --dry-run nothing is changed, tagged or published: the
 * packages are built, checked, packed, installed together in a scratch folder and imported from there.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publishedPackages, ROOT } from './packages.mjs';
import { installTools } from './tools.mjs';

const VERSION_CONSTANT = join(ROOT, 'libs/payments/src/payments-version.ts');

const isDryRun = process.argv.includes('--dry-run');

const run = (command, args, cwd = ROOT) => execFileSync(command, args, { cwd, stdio: 'inherit' });
const read = (command, args, cwd = ROOT) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
const say = (text) => process.stdout.write(`\n=== ${text}\n`);

checkTree();
if (!isDryRun) countUp();
const packages = publishedPackages();
const version = checkVersions(packages);
run('npm', ['run', '--silent', 'build']);
run('npm', ['run', '--silent', 'check:package']);
const scratch = mkdtempSync(join(tmpdir(), 'tillkit-release-'));
try {
  const tarballs = pack(packages);
  installAndImport(packages, tarballs);
  publish(tarballs);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function checkTree() {
  const changes = read('git', ['status', '--porcelain']);
  if (changes === '') return;
  const text = `The working tree is not clean: commit or remove these first.\n${changes}`;
  if (!isDryRun) fail(text);
  say(`A release would be refused. ${text}`);
}

/** Turns the changesets into the next version, unless an earlier run did so and then stopped: then the version has no tag. */
function countUp() {
  const [{ manifest }] = publishedPackages();
  const tags = read('git', ['tag', '--list', 'v*']).split('\n').filter(Boolean);
  const hasChangelog = read('git', ['ls-files', 'libs/*/CHANGELOG.md']) !== '';
  if (hasChangelog && !tags.includes(`v${manifest.version}`)) return;
  // The packages carry 0.1.0 before their first release, so that they can depend on each other.
  if (tags.length === 0) setVersions('0.0.0');
  installTools('tools/release');
  run(join(ROOT, 'tools/release/node_modules/.bin/changeset'), ['version']);
  const [{ manifest: next }] = publishedPackages();
  const source = readFileSync(VERSION_CONSTANT, 'utf8');
  writeFileSync(VERSION_CONSTANT, source.replace(/'\d[^']*'/, `'${next.version}'`));
  run('npm', ['install', '--package-lock-only', '--ignore-scripts']);
  run('git', ['add', '--all']);
  run('git', ['commit', '--message', `Release ${next.version}`]);
}

function setVersions(version) {
  for (const { directory, manifest } of publishedPackages()) {
    const text = `${JSON.stringify({ ...manifest, version }, null, 2)}\n`;
    writeFileSync(join(directory, 'package.json'), text);
  }
}

/** All packages have one version. npm checks at installation whether they accept each other's version. */
function checkVersions(packages) {
  const version = packages[0].manifest.version;
  const problems = packages
    .filter(({ manifest }) => manifest.version !== version)
    .map(({ name, manifest }) => `${name} has version ${manifest.version}`);
  if (!readFileSync(VERSION_CONSTANT, 'utf8').includes(`'${version}'`)) {
    problems.push(`${VERSION_CONSTANT} has another version`);
  }
  if (problems.length > 0) fail(`Expected version ${version} everywhere:\n${problems.join('\n')}`);
  return version;
}

function pack(packages) {
  return packages.map(({ directory, name }) => {
    const [packed] = JSON.parse(
      read('npm', ['pack', '--json', '--pack-destination', scratch], directory),
    );
    const { filename, size, entryCount } = packed;
    return { name, path: join(scratch, filename), size, entryCount };
  });
}

/** Installs the packed files and their peer dependencies, as a new user would, also those that only some entry points need. */
function installAndImport(packages, tarballs) {
  const dependencies = Object.fromEntries(tarballs.map(({ name, path }) => [name, `file:${path}`]));
  writeFileSync(
    join(scratch, 'package.json'),
    JSON.stringify({
      name: 'scratch',
      private: true,
      type: 'module',
      dependencies: { ...optionalPeers(packages), ...dependencies },
    }),
  );
  run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], scratch);
  say('every entry point of the packed files, imported');
  for (const { name, entryPoints } of packages) {
    for (const entryPoint of entryPoints) {
      const specifier = join(name, entryPoint);
      const script = `import * as entry from '${specifier}'; console.log('${specifier}:', Object.keys(entry).length, 'names');`;
      run(process.execPath, ['--input-type=module', '--eval', script], scratch);
    }
  }
}

function optionalPeers(packages) {
  return Object.fromEntries(
    packages.flatMap(({ manifest: { peerDependencies, peerDependenciesMeta = {} } }) =>
      Object.keys(peerDependenciesMeta).map((peer) => [peer, peerDependencies[peer]]),
    ),
  );
}

function publish(tarballs) {
  say(`${isDryRun ? 'would publish' : 'publishing'} as v${version}`);
  for (const { name, size, entryCount } of tarballs) {
    process.stdout.write(`${name}@${version}: ${entryCount} files, ${Math.ceil(size / 1024)} kB\n`);
  }
  if (isDryRun) return;
  run('git', ['tag', '--annotate', `v${version}`, '--message', `Release ${version}`]);
  for (const { path } of tarballs) run('npm', ['publish', path, '--access', 'public']);
  say('published. Push the commit and the tag: git push --follow-tags');
}

function fail(text) {
  process.stderr.write(`${text}\n`);
  process.exit(1);
}
