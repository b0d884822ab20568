import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestEnvironment } from 'jest-environment-node';

const { TILLKIT_MUTATION_COVERAGE, __STRYKER_ACTIVE_MUTANT__ } = process.env;

/** Without a mutant it records which mutants a file of tests runs. With one it ends the process at the first test that fails. */
export default class MutationEnvironment extends TestEnvironment {
  #file;
  #began = Date.now();
  /** A file whose code cannot be loaded runs no test. */
  #hasPassed = false;
  #hasFailed = false;

  constructor(config, context) {
    super(config, context);
    this.#file = context.testPath;
  }

  handleTestEvent({ name, test }) {
    if (name === 'test_done' && test.errors.length === 0) this.#hasPassed = true;
    if (name !== 'hook_failure' && (name !== 'test_done' || test.errors.length === 0)) return;
    this.#hasFailed = true;
    if (!__STRYKER_ACTIVE_MUTANT__) return;
    process.stdout.write(`\nFOUND BY ${this.#file}: ${test?.name ?? 'a hook'}\n`, () =>
      process.exit(1),
    );
  }

  async teardown() {
    if (TILLKIT_MUTATION_COVERAGE && this.#hasPassed && !this.#hasFailed) {
      const { static: loaded = {}, perTest = {} } = this.global.__stryker__?.mutantCoverage ?? {};
      const mutants = [loaded, ...Object.values(perTest)].flatMap(Object.keys);
      const name = createHash('sha256').update(this.#file).digest('hex');
      writeFileSync(
        join(TILLKIT_MUTATION_COVERAGE, `${name}.json`),
        JSON.stringify({ file: this.#file, milliseconds: Date.now() - this.#began, mutants }),
      );
    }
    await super.teardown();
  }
}
