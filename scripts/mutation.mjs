/**
 * Mutation testing: changes the code of an area in one place at a time, and sees whether a test fails. Works on a clone of the last commit, because
 * Stryker writes into the sources.
 * Usage: npm run test:mutation -- [area ...] [--report folder]
 *
 * A survivor that changes nothing that anybody could notice is named in SURVIVORS with the reason. Fails when an area that must have none has another one,
 * or when less than 90 % of its mutants are found.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AREAS, SURVIVORS } from './mutation.areas.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LEAST_SHARE = 0.9;

const args = process.argv.slice(2);
const at = args.indexOf('--report');
const reports = at < 0 ? null : resolve(args.splice(at, 2)[1] ?? '.');
const wanted = args.length > 0 ? args : Object.keys(AREAS);
const unknown = wanted.filter((area) => !(area in AREAS));
if (unknown.length > 0) {
  console.error(
    `There is no area ${unknown.join(', ')}: name some of ${Object.keys(AREAS).join(', ')}.`,
  );
  process.exit(2);
}

const work = mkdtempSync(join(tmpdir(), 'tillkit-mutation-'));
let failed = 0;
try {
  const run = (command, ...more) => execFileSync(command, more, { cwd: work, stdio: 'inherit' });
  run('git', 'clone', '-q', ROOT, '.');
  run('npm', 'ci', '--no-audit', '--no-fund', '--loglevel=error');
  for (const area of wanted) if (!measure(area)) failed += 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}
console.log(`${wanted.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

function measure(area) {
  const { mutate, tests } = AREAS[area];
  const report = join(work, 'mutation.json');
  const configuration = {
    packageManager: 'npm',
    testRunner: 'jest',
    testRunnerNodeArgs: ['--experimental-vm-modules'],
    jest: { configFile: 'jest.mutation.config.mjs', enableFindRelatedTests: false },
    coverageAnalysis: 'perTest',
    mutate,
    inPlace: true,
    concurrency: cpus().length,
    // A busy machine is slow: a mutant that never ends is found all the same.
    timeoutMS: 30_000,
    reporters: ['progress-append-only', 'json'],
    jsonReporter: { fileName: report },
    tempDirName: join(work, '.stryker'),
    allowEmpty: false,
  };
  writeFileSync(join(work, 'stryker.config.json'), JSON.stringify(configuration));
  execFileSync('npx', ['--no-install', 'stryker', 'run', 'stryker.config.json'], {
    cwd: work,
    stdio: 'inherit',
    env: { ...process.env, TILLKIT_MUTATION_TESTS: JSON.stringify(tests) },
  });
  const mutants = mutantsOf(JSON.parse(readFileSync(report, 'utf8')));
  if (reports) {
    if (!existsSync(reports)) mkdirSync(reports, { recursive: true });
    writeFileSync(join(reports, `${area}.json`), JSON.stringify(mutants, null, 2));
  }
  return isGood(area, mutants);
}

function mutantsOf({ files }) {
  return Object.entries(files).flatMap(([file, { source, mutants }]) => {
    const lines = source.split('\n');
    return mutants.map(({ status, mutatorName, replacement, location }) => {
      const { start, end } = location;
      const [line = ''] = lines.slice(start.line - 1);
      const changed =
        start.line === end.line ? line.slice(start.column - 1, end.column - 1) : line.trim();
      return {
        file,
        line: start.line,
        status,
        mutator: mutatorName,
        code: line.trim(),
        changed,
        replacement,
      };
    });
  });
}

function isGood(area, all) {
  const mutants = all.filter(
    ({ status }) => !['Ignored', 'CompileError', 'RuntimeError'].includes(status),
  );
  const survivors = mutants.filter(({ status }) => ['Survived', 'NoCoverage'].includes(status));
  const unexplained = survivors.filter((survivor) => !isExplained(survivor));
  const share = (mutants.length - unexplained.length) / mutants.length;
  for (const { file, line, status, changed, replacement } of unexplained)
    console.log(`  ${status}: ${file}:${line}  ${changed}  ->  ${replacement}`);
  const explained = survivors.length - unexplained.length;
  console.log(
    `${area}: ${mutants.length} mutants, ${mutants.length - survivors.length} found, ${explained} explained, ${unexplained.length} unexplained`,
  );
  return AREAS[area].isCritical ? unexplained.length === 0 : share >= LEAST_SHARE;
}

/** The line as it stands names it, so that an explanation does not outlive its code. */
function isExplained({ file, code, replacement }) {
  return SURVIVORS.some(
    (known) => known.file === file && known.code === code && known.replacement === replacement,
  );
}
