const { createRequire } = require('node:module');
const { pathToFileURL } = require('node:url');

/** `@jest/globals` finds the functions of the running file of tests under this key. */
const GLOBALS = Symbol.for('tillkit.jest.globals');
const HANDLERS = Symbol.for('EVENT_HANDLERS');

let files = 0;

/**
 * Runs files of tests in the worker's own realm, one after another: Node's `import` loads them, and every module behind them stays
 * loaded for the next file. Jest's own runtime evaluates all of them afresh for each file, which costs more than the tests.
 */
module.exports = class SharedRuntime {
  #environment;

  constructor(_config, environment) {
    this.#environment = environment;
  }

  /** The state of Jest's framework lives in its module and in its list of handlers, so each file gets new ones. */
  requireInternalModule(path) {
    const internal = createRequire(path);
    delete globalThis[HANDLERS];
    delete internal.cache[path];
    return internal(path);
  }

  requireModule(path) {
    return createRequire(path)(path);
  }

  setGlobalsForRuntime(globals) {
    globalThis[GLOBALS] = { ...globals, jest: this.#jest() };
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  unstable_importModule(path) {
    files += 1;
    return import(`${pathToFileURL(path).href}?file=${files}`);
  }

  enterTestCode() {}

  leaveTestCode() {}

  #jest() {
    const { moduleMocker, fakeTimersModern: timers } = this.#environment;
    return {
      fn: moduleMocker.fn.bind(moduleMocker),
      spyOn: moduleMocker.spyOn.bind(moduleMocker),
      restoreAllMocks: () => moduleMocker.restoreAllMocks(),
      useFakeTimers: (config) => timers.useFakeTimers(config),
      useRealTimers: () => timers.useRealTimers(),
      advanceTimersByTime: (ms) => timers.advanceTimersByTime(ms),
      advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
      setTimeout: (ms) => {
        globalThis[Symbol.for('TEST_TIMEOUT_SYMBOL')] = ms;
      },
    };
  }

  getSourceMaps() {
    return new Map();
  }

  getAllCoverageInfoCopy() {
    return undefined;
  }

  teardown() {
    delete globalThis[Symbol.for('TEST_TIMEOUT_SYMBOL')];
    delete globalThis[GLOBALS];
  }
};
