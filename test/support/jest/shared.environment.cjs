const { createRequire } = require('node:module');
const ofJest = createRequire(require.resolve('jest-environment-node'));
const { ModernFakeTimers } = ofJest('@jest/fake-timers');
const { ModuleMocker } = ofJest('jest-mock');
const crashes = require('./crashes.cjs');
const { CpuOfFile } = require('./cpu-of-files.cjs');
const { checkTestNames } = require('./test-names.cjs');

crashes.watchProcess();

/** The realm of the worker itself. Changes that a file of tests makes in it are undone, so that the next file begins as this one did. */
module.exports = class SharedEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  #before = {
    console: globalThis.console,
    exit: process.exit,
    environment: { ...process.env },
    directory: process.cwd(),
  };
  #testPath;
  #cpu = new CpuOfFile();

  constructor({ projectConfig }, { testPath }) {
    this.#testPath = testPath;
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {
    crashes.beginFile(this.#testPath);
    // Node knows the source maps of the files that it has imported. Jest's own formatter does not.
    process.setSourceMapsEnabled(true);
    delete Error.prepareStackTrace;
  }

  /** Jest's framework calls this. An error before the first test fails the file. */
  async handleTestEvent({ name }, { rootDescribeBlock }) {
    if (name === 'run_start') checkTestNames(rootDescribeBlock);
  }

  async teardown() {
    crashes.endFile(this.#testPath);
    this.#cpu.end(this.#testPath);
    const { console, exit, environment, directory } = this.#before;
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    globalThis.console = console;
    process.exit = exit;
    process.chdir(directory);
    for (const name of Object.keys(process.env))
      if (!(name in environment)) delete process.env[name];
    Object.assign(process.env, environment);
  }

  /** There is no other realm. */
  getVmContext() {
    return null;
  }
};
