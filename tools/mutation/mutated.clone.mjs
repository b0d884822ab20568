import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { mutatedSources } from '../../scripts/mutation.change.mjs';
import setUpServer from '../../test/support/global.setup.mjs';
import tearDownServer from '../../test/support/global.teardown.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const JEST = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  'node_modules/jest/bin/jest.js',
  '--config=jest.mutation.config.mjs',
];
/** Many mutants make a test wait for what never comes. End-to-end tests need more than specs. */
const SPECS = ['--testRegex', '\\.spec\\.ts$', '--testTimeout', '10000'];
/** A mutant that no test finds within this time of tests counts as a survivor. */
const TESTS_OF_ONE_MUTANT_MS = 120_000;
/** A run may take this much longer than the tests it knows. A test that hangs ends by itself before. */
const PATIENCE_MS = 90_000;

/** A clone of the last commit whose sources hold mutants of libs/payments, one of which an environment variable can activate. */
export class MutatedClone {
  #folder;
  #only = [];
  #related = [];
  #tests = [];

  /**
   * @param onlySpecs whether specs are the only tests
   * @param files the sources to mutate; without them, every source
   * @param isWanted which mutants of these files are tested. The tests that import their files are the only tests.
   * @param uncommitted files that are copied as they are, because they differ from the last commit
   * @param withinMs after this time no more tests are asked which mutants they run
   */
  static async create({ onlySpecs, files, isWanted = () => true, uncommitted = [], withinMs }) {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tillkit-mutation-')));
    const clone = new MutatedClone(folder);
    if (onlySpecs) clone.#only = SPECS;
    try {
      const run = (command, ...args) =>
        execFileSync(command, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
      run('git', 'clone', '-q', ROOT, '.');
      for (const file of uncommitted) {
        rmSync(join(folder, file), { force: true });
        if (existsSync(join(ROOT, file))) cpSync(join(ROOT, file), join(folder, file));
      }
      if (files) {
        // Hard links where they are possible: to install anew takes longer than to test a small change.
        run('sh', '-c', 'cp -al "$0" . 2>/dev/null || cp -a "$0" .', join(ROOT, 'node_modules'));
        run('npm', 'run', 'generate', '--silent');
      } else run('npm', 'ci', '--no-audit', '--no-fund', '--loglevel=error');
      clone.mutants = (await clone.#instrument(files)).filter(isWanted);
      if (files) clone.#related = [...new Set(clone.mutants.map(({ file }) => file))];
      if (clone.mutants.length === 0) return clone;
      await setUpServer();
      await clone.#runAllTests(withinMs);
    } catch (error) {
      await clone.remove();
      throw error;
    }
    return clone;
  }

  constructor(folder) {
    this.#folder = folder;
  }

  async remove() {
    await tearDownServer();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Runs the tests that run the mutant until one fails. What has not ended after `withinMs` is left out. */
  async test({ id, file }, withinMs) {
    const tests = [];
    let total = 0;
    const reaching = this.#tests.filter(({ mutants }) => mutants.has(id));
    for (const test of reaching.toSorted((a, b) => costOf(a, file) - costOf(b, file))) {
      if (tests.length > 0 && total + test.milliseconds > TESTS_OF_ONE_MUTANT_MS) continue;
      tests.push(test.file);
      total += test.milliseconds;
    }
    if (tests.length === 0) return { status: 'not run' };
    const began = Date.now();
    const patienceMs = PATIENCE_MS + 3 * total;
    const { code, isLate, output } = await this.#jest(
      ['--runInBand', '--bail', '--silent', '--runTestsByPath', ...tests],
      { __STRYKER_ACTIVE_MUTANT__: id, TILLKIT_MUTATION_TESTS: JSON.stringify(tests) },
      Math.min(patienceMs, withinMs),
    );
    if (isLate && withinMs < patienceMs) return { status: 'left out' };
    const status = isLate ? 'late' : code === 0 ? 'survived' : 'found';
    const by = /FOUND BY (.*)/.exec(output)?.[1]?.replace(this.#folder, '');
    return { status, by, tests: tests.length, seconds: Math.round((Date.now() - began) / 1000) };
  }

  async #instrument(chosen) {
    const files = mutatedSources(this.#folder)
      .filter((name) => !chosen || chosen.includes(name))
      .map((name) => ({
        name,
        mutate: true,
        content: readFileSync(join(this.#folder, name), 'utf8'),
      }));
    const logger = { info() {}, debug() {}, isDebugEnabled: () => false };
    const { mutants, files: instrumented } = await new Instrumenter(logger).instrument(files, {
      plugins: null,
      excludedMutations: [],
      ignorers: [],
    });
    for (const { name, content } of instrumented) writeFileSync(join(this.#folder, name), content);
    const lines = new Map(files.map(({ name, content }) => [name, content.split('\n')]));
    return mutants.map((mutant) => described(mutant, lines.get(mutant.fileName)));
  }

  /** Learns which test runs which mutant. A test that fails without a mutant proves nothing with one, and is left out. */
  async #runAllTests(withinMs) {
    const coverage = join(this.#folder, '.coverage-of-mutants');
    mkdirSync(coverage);
    const related = this.#related.length > 0 ? await this.#relatedTests() : [];
    // No test runs any of the mutants then.
    if (this.#related.length > 0 && related.length === 0) return;
    await this.#jest(
      ['--silent', ...(related.length > 0 ? ['--runTestsByPath', ...related] : [])],
      { TILLKIT_MUTATION_COVERAGE: coverage, TILLKIT_MUTATION_TESTS: JSON.stringify(related) },
      withinMs,
    );
    this.#tests = readdirSync(coverage)
      .map((name) => JSON.parse(readFileSync(join(coverage, name), 'utf8')))
      .map((test) => ({ ...test, mutants: new Set(test.mutants), ofFile: new Map() }));
    for (const { id, file } of this.mutants) {
      for (const { mutants, ofFile } of this.#tests)
        if (mutants.has(id)) ofFile.set(file, (ofFile.get(file) ?? 0) + 1);
    }
    if (this.#tests.length === 0) throw new Error('No test passes without a mutant.');
    if (related.length > this.#tests.length)
      console.log(
        `  ${this.#tests.length} of ${related.length} files of tests are run: the others had not ended, or fail without a mutant`,
      );
  }

  /** Returns the tests that import a source which is mutated, the nearest ones first. */
  async #relatedTests() {
    const { output } = await this.#jest(
      ['--listTests', '--findRelatedTests', ...this.#related],
      {},
    );
    const near = (test) =>
      Math.max(...this.#related.map((file) => sharedFolders(test, join(this.#folder, file))));
    return output
      .split('\n')
      .filter((line) => line.startsWith(this.#folder))
      .toSorted((one, other) => near(other) - near(one));
  }

  async #jest(args, environment, limit) {
    const process_ = spawn(process.execPath, [...JEST, ...this.#only, ...args], {
      cwd: this.#folder,
      // A group of its own, so that what a test has started ends with it.
      detached: true,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let isLate = false;
    for (const stream of [process_.stdout, process_.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    const timer = limit && setTimeout(() => ((isLate = true), kill(process_)), limit);
    const [code] = await once(process_, 'exit');
    clearTimeout(timer);
    kill(process_);
    return { code, isLate, output };
  }
}

/**
 * A test that is fast, and that runs much of the file of the mutant and little else, is the likeliest to find it soon. Only to import a file runs some of its
 * code, in every test.
 */
function costOf({ milliseconds, mutants, ofFile }, file) {
  return (milliseconds * mutants.size) / ofFile.get(file) ** 2;
}

function sharedFolders(one, other) {
  const others = other.split('/');
  const differs = one.split('/').findIndex((part, place) => part !== others[place]);
  return differs < 0 ? others.length : differs;
}

function described({ id, fileName: file, mutatorName, replacement, location }, lines) {
  const { start, end } = location;
  const code = lines[start.line].trim();
  const changed =
    start.line === end.line ? lines[start.line].slice(start.column, end.column) : code;
  return { id, file, line: start.line + 1, mutator: mutatorName, code, changed, replacement };
}

function kill({ pid }) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // all of the group have ended
  }
}
